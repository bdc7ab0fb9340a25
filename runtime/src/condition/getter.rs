//! Reading a list of conditions, which is a map by type.

use super::{Condition, ConditionStatus, READY, RECONCILING, STALLED, find};

/// Whether a condition of the type is present, whatever its status.
#[must_use]
pub fn has(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some()
}

/// Whether one of the types is present.
#[must_use]
pub fn has_any(conditions: &[Condition], types: &[&str]) -> bool {
    types.iter().any(|type_| has(conditions, type_))
}

/// Whether the condition is present with one of the reasons.
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

/// Whether nothing is known of the condition: it is Unknown, or missing.
#[must_use]
pub fn is_unknown(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_none_or(|c| c.status.is_unknown())
}

/// Whether the object is ready: Ready is True, and neither Reconciling nor Stalled is.
#[must_use]
pub fn is_ready(conditions: &[Condition]) -> bool {
    is_true(conditions, READY) && !is_true(conditions, RECONCILING) && !is_true(conditions, STALLED)
}

/// Whether only a person can help. An object that says both Stalled and Reconciling is neither.
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

/// Whether the controller is still at work.
#[must_use]
pub fn is_reconciling(conditions: &[Condition]) -> bool {
    is_true(conditions, RECONCILING) && !is_true(conditions, STALLED)
}
