//! Setting a condition in a list: its generation, its time, its message, its place.

use std::cmp::{Ordering, Reverse};

use jiff::Timestamp;

use super::{Condition, READY, RECONCILING, STALLED, find};
use crate::outcome::message::clean;

/// What moves the transition time of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Transition {
    /// A change of its status, as the Kubernetes API conventions ask for.
    #[default]
    Status,
    /// A change of status, reason or message, as Flux does it.
    State,
}

/// For which generation conditions are set, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The generation of the object on which the work was done.
    pub generation: i64,
    /// The time, in whole seconds: Kubernetes stores no fractions.
    pub now: Timestamp,
    /// What moves the transition time.
    pub transition: Transition,
}

impl Stamp {
    /// A stamp of the generation. Times move with the status.
    #[must_use]
    pub fn new(generation: i64, now: Timestamp) -> Self {
        let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
        Self { generation, now, transition: Transition::Status }
    }

    /// The same with another rule for the transition time.
    #[must_use]
    pub fn moved_by(self, transition: Transition) -> Self {
        Self { transition, ..self }
    }

    /// The condition as it is stored in the place of `earlier`: stamped, its message [sanitized](super::sanitize), its time by the rule.
    #[must_use]
    pub fn on(&self, earlier: Option<&Condition>, mut condition: Condition) -> Condition {
        condition.observed_generation = Some(self.generation);
        condition.message = clean(condition.message);
        condition.last_transition_time = match earlier {
            None => condition.last_transition_time.or(Some(self.now)),
            Some(earlier) => self.time(earlier, &condition),
        };
        condition
    }

    fn time(&self, earlier: &Condition, condition: &Condition) -> Option<Timestamp> {
        let kept = earlier.last_transition_time;
        match self.transition {
            // A time that another writer left out is a mistake that is mended.
            Transition::Status if earlier.status == condition.status => kept.or(Some(self.now)),
            Transition::State if earlier.same_state(condition) => kept,
            Transition::Status | Transition::State => Some(self.now),
        }
    }
}

/// Sets a condition, and brings the list into its [order](compare).
///
/// The generation is that of the stamp, whatever stands in the condition. A new condition keeps the time that it brings.
///
/// ```
/// use evenkeel::condition::{Condition, Stamp, ConditionStatus, find, set};
/// let stamp = |generation, now: &str| Stamp::new(generation, now.parse().unwrap());
/// let mut conditions = Vec::new();
/// set(&mut conditions, Condition::new("Fetched", ConditionStatus::True, "Succeeded", ""), &stamp(1, "2024-05-01T10:00:00Z"));
/// set(&mut conditions, Condition::new("Fetched", ConditionStatus::True, "Cached", ""), &stamp(2, "2024-05-01T11:00:00Z"));
/// let fetched = find(&conditions, "Fetched").unwrap();
/// assert_eq!(fetched.observed_generation, Some(2));
/// assert_eq!(fetched.last_transition_time.unwrap().to_string(), "2024-05-01T10:00:00Z");
/// ```
pub fn set(conditions: &mut Vec<Condition>, condition: Condition, stamp: &Stamp) {
    let condition = stamp.on(find(conditions, &condition.type_), condition);
    delete(conditions, &condition.type_);
    conditions.push(condition);
    conditions.sort_by(compare);
}

/// Removes the condition of the type, if it is there.
pub fn delete(conditions: &mut Vec<Condition>, type_: &str) {
    conditions.retain(|c| c.type_ != type_);
}

/// The order of a list: Stalled, Reconciling, Ready, then the newest generation first, then by type.
///
/// A pipeline sends its conditions in declared order instead; this is for lists of which no declaration is known.
#[must_use]
pub fn compare(a: &Condition, b: &Condition) -> Ordering {
    match (kept(a), kept(b)) {
        (None, None) => by_generation(a, b),
        (a, b) => a.unwrap_or(usize::MAX).cmp(&b.unwrap_or(usize::MAX)),
    }
}

fn kept(condition: &Condition) -> Option<usize> {
    [STALLED, RECONCILING, READY].iter().position(|type_| *type_ == condition.type_)
}

fn by_generation(a: &Condition, b: &Condition) -> Ordering {
    let key = |c: &Condition| Reverse(c.observed_generation.unwrap_or_default());
    key(a).cmp(&key(b)).then_with(|| a.type_.cmp(&b.type_))
}
