//! Where one key stands in the queue, for people who ask.

use std::time::Duration;

use super::worker::Attempt;
use crate::trigger::Causes;

/// How a key stands right now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) phase: Phase,
    /// Why it waits or runs, or will run.
    pub(crate) causes: Causes,
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
