//! Reads lists of conditions, which are maps by type.

use super::{Condition, ConditionStatus, READY, RECONCILING, STALLED, find};

/// Whether a condition of this type is present, whatever its status.
#[must_use]
pub fn has(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some()
}

/// Whether a condition of one of these types is present.
#[must_use]
pub fn has_any(conditions: &[Condition], types: &[&str]) -> bool {
    types.iter().any(|type_| has(conditions, type_))
}

/// Whether the condition is present with one of these reasons.
#[must_use]
pub fn has_any_reason(conditions: &[Condition], type_: &str, reasons: &[&str]) -> bool {
    find(conditions, type_).is_some_and(|c| reasons.contains(&c.reason.as_str()))
}

/// Whether the condition is present and True.
#[must_use]
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|c| c.status == ConditionStatus::True)
}

/// Whether the condition is present and False.
#[must_use]
pub fn is_false(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|c| c.status == ConditionStatus::False)
}

/// Whether the condition is Unknown or missing.
#[must_use]
pub fn is_unknown(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_none_or(|c| c.status.is_unknown())
}

/// Whether the object is ready: Ready is True, and neither Reconciling nor Stalled is True.
#[must_use]
pub fn is_ready(conditions: &[Condition]) -> bool {
    is_true(conditions, READY) && !is_true(conditions, RECONCILING) && !is_true(conditions, STALLED)
}

/// Whether the object requires action by a person. An object that is both Stalled and Reconciling counts as neither.
///
/// ```
/// use evenkeel::condition::{Condition, RECONCILING, STALLED, ConditionStatus, is_reconciling, is_stalled};
/// let mut conditions = vec![Condition::new(STALLED, ConditionStatus::True, "InvalidUrl", "")];
/// assert!(is_stalled(&conditions));
/// conditions.push(Condition::new(RECONCILING, ConditionStatus::True, "Progressing", ""));
/// assert!(!is_stalled(&conditions) && !is_reconciling(&conditions));
/// ```
#[must_use]
pub fn is_stalled(conditions: &[Condition]) -> bool {
    is_true(conditions, STALLED) && !is_true(conditions, RECONCILING)
}

/// Whether the controller is still working on the object.
#[must_use]
pub fn is_reconciling(conditions: &[Condition]) -> bool {
    is_true(conditions, RECONCILING) && !is_true(conditions, STALLED)
}
