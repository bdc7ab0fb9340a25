//! Marks: set a condition to a status, including Reconciling and Stalled, which exclude each other.

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

/// Sets Reconciling to True and removes Stalled: the controller is working on the object.
pub fn mark_reconciling(conditions: &mut Vec<Condition>, reason: &str, message: &str, stamp: &Stamp) {
    delete(conditions, STALLED);
    mark_true(conditions, RECONCILING, reason, message, stamp);
}

/// Sets Stalled to True and removes Reconciling: the object requires action by a person.
pub fn mark_stalled(conditions: &mut Vec<Condition>, reason: &str, message: &str, stamp: &Stamp) {
    delete(conditions, RECONCILING);
    mark_true(conditions, STALLED, reason, message, stamp);
}

/// The drift of an object that is known when work on it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Drift {
    /// No drift is known.
    Unseen,
    /// The object has drifted, so Ready is outdated.
    Found,
}

/// Marks the beginning of work: sets Reconciling to True.
///
/// Sets Ready to Unknown if it is missing or Unknown, or if the object has drifted.
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
