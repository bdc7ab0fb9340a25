//! Where one key stands in the queue, for people who ask.

use std::time::Duration;

use super::worker::Attempt;
use crate::trigger::TriggerSet;

/// How a key stands right now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyStatus {
    pub(crate) phase: Phase,
    /// Why it waits or runs, or will run.
    pub(crate) triggers: TriggerSet,
    pub(crate) attempt: Attempt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// For a free slot, for so long.
    Waiting(Duration),
    /// For so long.
    Running(Duration),
    /// For so long still; `None`: until something changes.
    Sleeping(Option<Duration>),
}
