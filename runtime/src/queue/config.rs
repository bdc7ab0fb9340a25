//! How a queue is drained: limits, grace, pause.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::concurrency::Slots;
use super::key::Key;
use super::pause::Pause;
use super::rate_limit::Rate;

/// Tells the version that the cache holds of an object.
pub(crate) type Version = Arc<dyn Fn(&Key) -> Option<String> + Send + Sync>;

/// How a queue is drained.
#[derive(Clone)]
pub(crate) struct QueueConfig {
    /// Passes at a time.
    pub(crate) concurrency: NonZeroUsize,
    /// Passes at a time with all other queues that have the same slots.
    pub(crate) slots: Slots,
    /// Retries per second with all other queues that have the same rate.
    pub(crate) rate: Rate,
    /// How long running passes may go on after the stop.
    pub(crate) grace: Duration,
    /// While it is on, no pass starts.
    pub(crate) pause: Pause,
    /// What the cache holds, for [`Next::Conflict`](super::next::Next::Conflict); without it only the timer counts.
    pub(crate) version: Option<Version>,
}

impl QueueConfig {
    pub(crate) const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(16).unwrap();
    /// Below the 30 s that a pod has between SIGTERM and SIGKILL by default.
    pub(crate) const GRACE: Duration = Duration::from_secs(25);
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            concurrency: Self::CONCURRENCY,
            slots: Slots::default(),
            rate: Rate::default(),
            grace: Self::GRACE,
            pause: Pause::default(),
            version: None,
        }
    }
}
