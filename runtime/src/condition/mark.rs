//! Marks: a condition set to a status, and the two that exclude each other.

use super::{Condition, ConditionStatus, READY, RECONCILING, STALLED, Stamp, delete, is_unknown, set};

/// Sets the condition to True.
pub fn mark_true(conditions: &mut Vec<Condition>, type_: &str, reason: &str, message: &str, stamp: &Stamp) {
    set(conditions, Condition::new(type_, ConditionStatus::True, reason, message), stamp);
}

/// Sets the condition to False.
pub fn mark_false(conditions: &mut Vec<Condition>, type_: &str, reason: &str, message: &str, stamp: &Stamp) {
    set(conditions, Condition::new(type_, ConditionStatus::False, reason, message), stamp);
}

/// Sets the condition to Unknown.
pub fn mark_unknown(conditions: &mut Vec<Condition>, type_: &str, reason: &str, message: &str, stamp: &Stamp) {
    set(conditions, Condition::new(type_, ConditionStatus::Unknown, reason, message), stamp);
}

/// The controller is at work: Reconciling is True, and Stalled goes.
pub fn mark_reconciling(conditions: &mut Vec<Condition>, reason: &str, message: &str, stamp: &Stamp) {
    delete(conditions, STALLED);
    mark_true(conditions, RECONCILING, reason, message, stamp);
}

/// Only a person can help: Stalled is True, and Reconciling goes.
pub fn mark_stalled(conditions: &mut Vec<Condition>, reason: &str, message: &str, stamp: &Stamp) {
    delete(conditions, RECONCILING);
    mark_true(conditions, STALLED, reason, message, stamp);
}

/// What is known of the object while work on it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drift {
    /// Nothing says that it is not as it was.
    Unseen,
    /// It is known to have drifted: Ready no longer tells the truth.
    Found,
}

/// Says that work has begun: Reconciling is True, and Ready is Unknown where it is missing, Unknown, or known to be untrue.
///
/// ```
/// use evenkeel::condition::{Drift, READY, Stamp, is_reconciling, is_true, mark_progress, mark_true};
/// let stamp = Stamp::new(1, "2024-05-01T10:00:00Z".parse().unwrap());
/// let mut conditions = Vec::new();
/// mark_true(&mut conditions, READY, "Succeeded", "", &stamp);
/// mark_progress(&mut conditions, Drift::Unseen, "Progressing", "in progress", &stamp);
/// assert!(is_reconciling(&conditions) && is_true(&conditions, READY));
/// ```
pub fn mark_progress(conditions: &mut Vec<Condition>, drift: Drift, reason: &str, message: &str, stamp: &Stamp) {
    mark_reconciling(conditions, reason, message, stamp);
    if drift == Drift::Found || is_unknown(conditions, READY) {
        mark_unknown(conditions, READY, reason, message, stamp);
    }
}
