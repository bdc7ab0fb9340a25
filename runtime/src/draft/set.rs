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
