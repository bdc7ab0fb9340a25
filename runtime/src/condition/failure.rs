//! Failures: the most important one, and recovery.

use super::{Condition, find, is_true};
#[cfg(feature = "operator")]
use super::{ConditionInfo, STALLED};

/// Returns the first of the negative types that is True. A negative condition that is False is not a failure.
///
/// ```
/// use evenkeel::condition::{Condition, ConditionStatus, highest_negative};
/// let conditions = ["Outdated", "FetchFailed"].map(|type_| Condition::new(type_, ConditionStatus::True, "X", ""));
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
/// use evenkeel::condition::{Condition, ConditionStatus, recovered};
/// let before = [Condition::new("FetchFailed", ConditionStatus::True, "Timeout", "")];
/// assert!(recovered(&before, &[], &["FetchFailed"]));
/// assert!(!recovered(&before, &before, &["FetchFailed"]));
/// ```
#[must_use]
pub fn recovered(before: &[Condition], now: &[Condition], failures: &[&str]) -> bool {
    highest_negative(before, failures).is_some() && highest_negative(now, failures).is_none()
}

/// Whether the object was failing and has recovered. It is failing if it is stalled or one of its declared conditions
/// is bad.
#[cfg(feature = "operator")]
pub(crate) fn has_recovered(before: &[Condition], now: &[Condition], declared: &[ConditionInfo]) -> bool {
    let is_bad = |of: &[Condition], info: &ConditionInfo| {
        find(of, info.type_).is_some_and(|condition| condition.status == info.polarity.bad())
    };
    let is_failing = |of| is_true(of, STALLED) || declared.iter().any(|info| is_bad(of, info));
    is_failing(before) && !is_failing(now)
}

#[cfg(all(test, feature = "operator"))]
mod tests {
    use super::*;
    use crate::condition::{ConditionStatus, Polarity};

    #[test]
    fn an_object_recovers_when_no_condition_is_bad_any_more() {
        let declared =
            [ConditionInfo::new("Stored", Polarity::Positive), ConditionInfo::new("Outdated", Polarity::Negative)];
        let of = |type_, status| vec![Condition::new(type_, status, "X", "")];
        let bad = [
            of("Stored", ConditionStatus::False),
            of("Outdated", ConditionStatus::True),
            of(STALLED, ConditionStatus::True),
        ];
        let good = [
            vec![],
            of("Stored", ConditionStatus::True),
            of("Outdated", ConditionStatus::False),
            of("Stored", ConditionStatus::Unknown),
        ];
        for bad in &bad {
            assert!(good.iter().all(|good| has_recovered(bad, good, &declared)), "{bad:?}");
            assert!(bad.iter().all(|_| !has_recovered(bad, bad, &declared)), "{bad:?}");
        }
        assert!(good.iter().all(|before| good.iter().all(|now| !has_recovered(before, now, &declared))));
        assert!(good.iter().all(|before| bad.iter().all(|now| !has_recovered(before, now, &declared))));
    }
}
