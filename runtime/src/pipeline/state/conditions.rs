//! The declared conditions while the steps run.

use super::found_status::FoundStatus;
use crate::condition::{Condition, ConditionInfo, ConditionStatus, Polarity, find};

/// The declared conditions, indexed by place.
#[derive(Clone)]
pub(super) struct Conditions {
    infos: &'static [ConditionInfo],
    now: Vec<Option<Condition>>,
    /// The places that count if an observer runs instead of the steps. `None`: all.
    counting: Option<&'static [usize]>,
}

impl Conditions {
    pub(super) fn new(infos: &'static [ConditionInfo], found: &[Condition]) -> Self {
        let now = infos.iter().map(|info| find(found, info.type_).cloned()).collect();
        Self { infos, now, counting: None }
    }

    pub(super) fn get(&self, place: usize) -> Option<&Condition> {
        self.now.get(place)?.as_ref()
    }

    pub(super) fn info(&self, place: usize) -> &'static ConditionInfo {
        &self.infos[place]
    }

    pub(super) fn polarity(&self, place: usize) -> Polarity {
        self.infos[place].polarity
    }

    /// The range of all places.
    pub(super) fn places(&self) -> std::ops::Range<usize> {
        0..self.now.len()
    }

    /// The reported conditions, in declared order.
    pub(super) fn reported(&self) -> impl Iterator<Item = &Condition> {
        self.now.iter().flatten()
    }

    /// The infos of those places that this pass may report.
    pub(super) fn members(&self, places: impl Iterator<Item = usize>) -> impl Iterator<Item = &'static ConditionInfo> {
        let infos = self.infos;
        places.filter(|place| self.counts(*place)).map(|place| &infos[place])
    }

    /// Sets a condition, stamped with the generation of the pass.
    /// If it is True and the message is empty, the message is its doc comment.
    pub(super) fn set(
        &mut self,
        place: usize,
        status: ConditionStatus,
        reason: &str,
        message: &str,
        before: &FoundStatus,
    ) {
        let info = &self.infos[place];
        let message = if message.is_empty() && status == ConditionStatus::True { info.message } else { message };
        if !self.confirmed(place, (status, reason, message), before.generation) {
            self.now[place] = Some(before.stamped(info.type_, status, reason, message));
        }
    }

    /// Whether the condition already has this status, reason and message; if so, its generation is updated.
    /// Most conditions do not change, and then no text is allocated.
    fn confirmed(
        &mut self,
        place: usize,
        (status, reason, message): (ConditionStatus, &str, &str),
        generation: i64,
    ) -> bool {
        let Some(condition) = &mut self.now[place] else { return false };
        let is_same = condition.status == status && condition.reason == reason && condition.message == message;
        // A transition time that another writer left out is set again.
        let is_same = is_same && condition.last_transition_time.is_some();
        if is_same {
            condition.observed_generation = Some(generation);
        }
        is_same
    }

    pub(super) fn clear(&mut self, place: usize) {
        self.now[place] = None;
    }

    /// Limits the conditions to those that an observer sets. The others are unknown and are not reported.
    pub(super) fn count_only(&mut self, places: &'static [usize]) {
        self.counting = Some(places);
        for place in self.places() {
            if !self.counts(place) {
                self.clear(place);
            }
        }
    }

    /// Whether this pass may report the condition.
    fn counts(&self, place: usize) -> bool {
        self.counting.is_none_or(|places| places.contains(&place))
    }

    /// Whether every positive condition was reported and none is Unknown.
    pub(super) fn all_reported(&self) -> bool {
        self.places().filter(|place| self.counts(*place)).all(|place| match self.get(place) {
            Some(condition) => !condition.status.is_unknown(),
            None => self.polarity(place) != Polarity::Positive,
        })
    }

    /// Sets the positive conditions that were never reported to Unknown, with this message.
    pub(super) fn block_unreported(&mut self, message: &str, before: &FoundStatus) {
        for place in self.places() {
            let is_unreported = self.counts(place) && self.now[place].is_none();
            if is_unreported && self.polarity(place) == Polarity::Positive {
                self.set(place, ConditionStatus::Unknown, "Blocked", message, before);
            }
        }
    }

    /// Confirms all reported conditions for this generation.
    pub(super) fn confirm(&mut self, generation: i64) {
        for condition in self.now.iter_mut().flatten() {
            condition.observed_generation = Some(generation);
        }
    }

    /// Takes over the conditions in which a fork differs from `base`, its initial state.
    pub(super) fn take_in(&mut self, fork: Self, base: &Self) {
        for (place, condition) in fork.now.into_iter().enumerate() {
            if condition != base.now[place] {
                self.now[place] = condition;
            }
        }
    }
}

#[cfg(test)]
impl Conditions {
    /// These conditions, by place.
    pub(super) fn replace(&mut self, now: impl IntoIterator<Item = Condition>) {
        self.now = now.into_iter().map(Some).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::observed::Observed;

    const STORED: ConditionInfo = ConditionInfo::new("Stored", Polarity::Positive).with_message("It is stored.");

    /// The condition after one call of `set` on a condition of an earlier generation.
    fn set(found: Condition, status: ConditionStatus, reason: &str, message: &str) -> Condition {
        let before = FoundStatus::new(2, Observed::default(), vec![found]);
        let mut conditions = Conditions::new(&[STORED], &before.conditions);
        conditions.set(0, status, reason, message, &before);
        conditions.get(0).cloned().unwrap()
    }

    fn found(time: Option<&str>) -> Condition {
        let mut condition = Condition::new("Stored", ConditionStatus::False, "Full", "the disk is full");
        condition.observed_generation = Some(1);
        condition.last_transition_time = time.map(|time| serde_json::from_str(&format!("{time:?}")).unwrap());
        condition
    }

    #[test]
    fn an_equal_condition_retains_its_transition_time() {
        let before = found(Some("2026-01-01T00:00:00Z"));
        let again = set(before.clone(), ConditionStatus::False, "Full", "the disk is full");
        assert_eq!(again, Condition { observed_generation: Some(2), ..before });
    }

    #[test]
    fn each_difference_is_set() {
        let before = || found(Some("2026-01-01T00:00:00Z"));
        let now = set(before(), ConditionStatus::True, "Succeeded", "");
        assert_eq!(
            (now.status, &*now.message, now.observed_generation),
            (ConditionStatus::True, "It is stored.", Some(2))
        );
        assert_ne!(now.last_transition_time, before().last_transition_time);
        let now = set(before(), ConditionStatus::True, "Full", "the disk is full");
        assert_eq!(now.status, ConditionStatus::True, "set even where the text is equal");
        for (reason, message) in [("Broken", "the disk is full"), ("Full", "another disk is full")] {
            let now = set(before(), ConditionStatus::False, reason, message);
            assert_eq!((&*now.reason, &*now.message), (reason, message));
            assert_eq!(now.last_transition_time, before().last_transition_time, "the status is as it was");
        }
        assert_eq!(
            set(before(), ConditionStatus::False, "Full", "").message,
            "",
            "only what is True says its doc comment"
        );
        assert!(set(found(None), ConditionStatus::False, "Full", "the disk is full").last_transition_time.is_some());
    }
}
