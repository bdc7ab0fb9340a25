//! The mirror: the Ready of another object as a condition of ours.

use super::{Condition, ConditionStatus, READY, find};

/// What stands in for an object that says nothing of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback<'a> {
    /// The status.
    pub status: ConditionStatus,
    /// The reason.
    pub reason: &'a str,
    /// The message.
    pub message: &'a str,
}

/// The Ready of another object under a type of ours; where it has none, the fallback, if there is one.
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
