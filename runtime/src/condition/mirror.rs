//! Mirrors: the Ready condition of another object as a condition of this one.

use super::{Condition, ConditionStatus, READY, find};

/// The condition to use if the other object has no Ready condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback<'a> {
    /// The status of the condition.
    pub status: ConditionStatus,
    /// The reason of the condition.
    pub reason: &'a str,
    /// The message of the condition.
    pub message: &'a str,
}

/// Returns the Ready condition of another object under the type `target`.
///
/// If the object has no Ready condition, returns the fallback, if there is one.
///
/// ```
/// use evenkeel::condition::{Condition, READY, ConditionStatus, mirror};
/// let other = [Condition::new(READY, ConditionStatus::False, "FetchFailed", "refused")];
/// assert_eq!(mirror(&other, "SourceReady", None).unwrap().reason, "FetchFailed");
/// assert_eq!(mirror(&[], "SourceReady", None), None);
/// ```
#[must_use]
pub fn mirror(conditions: &[Condition], target: &str, fallback: Option<Fallback<'_>>) -> Option<Condition> {
    match find(conditions, READY) {
        Some(ready) => Some(Condition { type_: target.into(), ..ready.clone() }),
        None => fallback.map(|f| Condition::new(target, f.status, f.reason, f.message)),
    }
}
