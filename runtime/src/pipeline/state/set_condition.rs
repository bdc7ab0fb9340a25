//! Setting a declared condition in the draft of a pass.

use super::Draft;
use crate::condition::Status;

impl Draft {
    /// Sets a condition, stamped with the generation on which the pass runs. One that is True says what its doc comment says, unless a
    /// message is given.
    pub(crate) fn set(&mut self, place: usize, status: Status, reason: &str, message: &str) {
        let info = &self.wiring.conditions[place];
        let message = if message.is_empty() && status == Status::True { info.message } else { message };
        if !self.confirmed(place, status, reason, message) {
            self.conditions[place] = Some(self.stamped(info.type_, status, reason, message));
        }
    }

    /// Whether the condition says just that already; it is then of this generation, too. Most conditions are set to what they are, and so
    /// cost no text.
    fn confirmed(&mut self, place: usize, status: Status, reason: &str, message: &str) -> bool {
        let generation = Some(self.generation);
        let Some(condition) = &mut self.conditions[place] else { return false };
        let is_same = condition.status == status && condition.reason == reason && condition.message == message;
        // A time that another writer left out is set anew.
        let is_same = is_same && condition.last_transition_time.is_some();
        if is_same {
            condition.observed_generation = generation;
        }
        is_same
    }

    /// The part of the author's code that runs or ran last: `step fetch`, or `cleanup remove`.
    pub(crate) fn running_part(&self) -> String {
        match (self.cleanup, self.step) {
            (Some(cleanup), _) => format!("cleanup {cleanup}"),
            (None, step) => format!("step {}", step.map_or("(none)", |step| step.name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::condition::{Condition, ConditionInfo, Polarity};
    use crate::pipeline::state::tests::no_backend::Nowhere;
    use crate::status::observed::Observed;
    use crate::wiring::Wiring;

    const STORED: ConditionInfo = ConditionInfo::new("Stored", Polarity::Positive).with_message("It is stored.");
    const WIRING: Wiring = Wiring { name: "widget", conditions: &[STORED], ..Wiring::EMPTY };

    /// What stands in the draft after one call of `set`, on a condition of an earlier generation.
    fn set(found: Condition, status: Status, reason: &str, message: &str) -> Condition {
        let mut draft = Draft::bare(WIRING, 2, Observed::default(), vec![found], Arc::new(Nowhere));
        draft.set(0, status, reason, message);
        draft.conditions[0].clone().unwrap()
    }

    fn found(time: Option<&str>) -> Condition {
        let mut condition = Condition::new("Stored", Status::False, "Full", "the disk is full");
        condition.observed_generation = Some(1);
        condition.last_transition_time = time.map(|time| serde_json::from_str(&format!("{time:?}")).unwrap());
        condition
    }

    #[test]
    fn a_condition_that_says_the_same_keeps_its_time_and_is_of_this_generation() {
        let before = found(Some("2026-01-01T00:00:00Z"));
        let again = set(before.clone(), Status::False, "Full", "the disk is full");
        assert_eq!(again, Condition { observed_generation: Some(2), ..before });
    }

    #[test]
    fn whatever_differs_is_set() {
        let before = || found(Some("2026-01-01T00:00:00Z"));
        let now = set(before(), Status::True, "Succeeded", "");
        assert_eq!((now.status, &*now.message, now.observed_generation), (Status::True, "It is stored.", Some(2)));
        assert_ne!(now.last_transition_time, before().last_transition_time);
        let now = set(before(), Status::True, "Full", "the disk is full");
        assert_eq!(now.status, Status::True, "also where the words are the same");
        for (reason, message) in [("Broken", "the disk is full"), ("Full", "another disk is full")] {
            let now = set(before(), Status::False, reason, message);
            assert_eq!((&*now.reason, &*now.message), (reason, message));
            assert_eq!(now.last_transition_time, before().last_transition_time, "the status is as it was");
        }
        assert_eq!(set(before(), Status::False, "Full", "").message, "", "only what is True says its doc comment");
        assert!(set(found(None), Status::False, "Full", "the disk is full").last_transition_time.is_some());
    }
}
