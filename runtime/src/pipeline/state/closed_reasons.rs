//! Reasons that only show at run time: one outside the closed set of its condition stands as it is, and is told once.

use super::Draft;
use super::warn_once::is_news;
use crate::condition::is_declared;

impl Draft {
    /// Warns of a reason that the condition does not declare, at its first time.
    pub(crate) fn hold_to_set(&self, place: usize, reason: &str) {
        let info = &self.wiring.conditions[place];
        if is_declared(info, reason) {
            return;
        }
        let (step, condition) = (self.step.map_or("(none)", |step| step.name), info.type_);
        if is_news(&["reason", self.wiring.name, step, condition, reason]) {
            tracing::warn!(
                step,
                condition,
                reason,
                "the condition does not declare this reason: add it to its `reasons(..)`"
            );
        }
    }
}
