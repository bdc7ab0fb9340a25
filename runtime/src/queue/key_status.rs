//! The state of one key in the queue, for the debug pages.

use std::time::Duration;

use super::worker::Attempt;
use crate::trigger::TriggerSet;

/// The current state of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyStatus {
    pub(crate) phase: Phase,
    /// The triggers of the current or next pass.
    pub(crate) triggers: TriggerSet,
    pub(crate) attempt: Attempt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Has waited this long for a free slot.
    Waiting(Duration),
    /// Has run for this long.
    Running(Duration),
    /// Runs after this time. `None`: runs when something changes.
    Sleeping(Option<Duration>),
}
