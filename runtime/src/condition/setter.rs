//! Sets a condition in a list, with its generation, transition time, message and position.

use std::cmp::{Ordering, Reverse};

use jiff::Timestamp;

use super::{Condition, READY, RECONCILING, STALLED, find};
use crate::outcome::message::clean;

/// The rule by which the transition time of a condition changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Transition {
    /// The status changed, as in the Kubernetes API conventions.
    #[default]
    Status,
    /// The status, reason or message changed, as in Flux.
    State,
}

/// The generation and time for which conditions are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The generation of the object on which the work was done.
    pub generation: i64,
    /// The current time in whole seconds, since Kubernetes does not store fractions.
    pub now: Timestamp,
    /// The rule for the transition time.
    pub transition: Transition,
}

impl Stamp {
    /// Creates a stamp for the generation. The transition time changes with the status.
    #[must_use]
    pub fn new(generation: i64, now: Timestamp) -> Self {
        let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
        Self { generation, now, transition: Transition::Status }
    }

    /// Sets the rule for the transition time.
    #[must_use]
    pub fn moved_by(self, transition: Transition) -> Self {
        Self { transition, ..self }
    }

    /// Returns the condition as it is stored in place of `earlier`.
    ///
    /// It is stamped, its message is [sanitized](super::sanitize), and its transition time follows the rule.
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
        let earlier_time = earlier.last_transition_time;
        match self.transition {
            // Repairs a transition time that another writer omitted.
            Transition::Status if earlier.status == condition.status => earlier_time.or(Some(self.now)),
            Transition::State if earlier.same_state(condition) => earlier_time,
            Transition::Status | Transition::State => Some(self.now),
        }
    }
}

/// Sets a condition and sorts the list into its [order](compare).
///
/// The generation is that of the stamp and overrides the one in the condition. A new condition retains its own
/// transition time, if it has one.
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

/// Removes the condition of this type, if it is present.
pub fn delete(conditions: &mut Vec<Condition>, type_: &str) {
    conditions.retain(|c| c.type_ != type_);
}

/// The order of a list: Stalled, Reconciling, Ready, then the newest generation first, then by type.
///
/// A pipeline sends its conditions in declared order instead. This order is for lists without a known declaration.
#[must_use]
pub fn compare(a: &Condition, b: &Condition) -> Ordering {
    match (rank(a), rank(b)) {
        (None, None) => by_generation(a, b),
        (a, b) => a.unwrap_or(usize::MAX).cmp(&b.unwrap_or(usize::MAX)),
    }
}

fn rank(condition: &Condition) -> Option<usize> {
    [STALLED, RECONCILING, READY].iter().position(|type_| *type_ == condition.type_)
}

fn by_generation(a: &Condition, b: &Condition) -> Ordering {
    let key = |c: &Condition| Reverse(c.observed_generation.unwrap_or_default());
    key(a).cmp(&key(b)).then_with(|| a.type_.cmp(&b.type_))
}
