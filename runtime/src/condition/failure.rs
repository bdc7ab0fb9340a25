//! Failures: which one counts most, and whether an object has recovered.

use super::{Condition, find, is_true};
#[cfg(feature = "operator")]
use super::{ConditionInfo, STALLED};

/// The first of the negative types, in their order, that is True. One that is present and False is no failure.
///
/// ```
/// use evenkeel::condition::{Condition, Status, highest_negative};
/// let conditions = ["Outdated", "FetchFailed"].map(|type_| Condition::new(type_, Status::True, "X", ""));
/// assert_eq!(highest_negative(&conditions, &["FetchFailed", "Outdated"]).unwrap().type_, "FetchFailed");
/// ```
#[must_use]
pub fn highest_negative<'c>(conditions: &'c [Condition], negatives: &[&str]) -> Option<&'c Condition> {
    let present = negatives.iter().filter(|type_| is_true(conditions, type_));
    present.copied().find_map(|type_| find(conditions, type_))
}

/// Whether one of the failures was True before and none is True now.
///
/// ```
/// use evenkeel::condition::{Condition, Status, recovered};
/// let before = [Condition::new("FetchFailed", Status::True, "Timeout", "")];
/// assert!(recovered(&before, &[], &["FetchFailed"]));
/// assert!(!recovered(&before, &before, &["FetchFailed"]));
/// ```
#[must_use]
pub fn recovered(before: &[Condition], now: &[Condition], failures: &[&str]) -> bool {
    highest_negative(before, failures).is_some() && highest_negative(now, failures).is_none()
}

/// Whether one of the declared conditions was bad before, or the object was stalled, and nothing of the kind is so now.
#[cfg(feature = "operator")]
pub(crate) fn has_recovered(before: &[Condition], now: &[Condition], declared: &[ConditionInfo]) -> bool {
    let is_bad = |of: &[Condition], info: &ConditionInfo| {
        find(of, info.type_).is_some_and(|condition| condition.status == info.polarity.bad())
    };
    let is_failing = |of| is_true(of, STALLED) || declared.iter().any(|info| is_bad(of, info));
    is_failing(before) && !is_failing(now)
}
