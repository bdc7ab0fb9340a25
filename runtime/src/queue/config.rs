//! How a queue is drained: limits, shutdown timeout, pause.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::concurrency::ConcurrencyLimit;
use super::key::Key;
use super::pause::Pause;
use super::rate_limit::Rate;

/// Tells the version that the cache holds of an object.
pub(crate) type CachedVersionFn = Arc<dyn Fn(&Key) -> Option<String> + Send + Sync>;

/// How a queue is drained.
#[derive(Clone)]
pub(crate) struct QueueConfig {
    /// Passes at a time.
    pub(crate) concurrency: NonZeroUsize,
    /// Passes at a time with all other queues that have the same slots.
    pub(crate) slots: ConcurrencyLimit,
    /// Retries per second with all other queues that have the same rate.
    pub(crate) rate: Rate,
    /// How long running passes may go on after the stop.
    pub(crate) shutdown_timeout: Duration,
    /// While it is on, no pass starts.
    pub(crate) pause: Pause,
    /// What the cache holds, for [`Next::Conflict`](super::next::Next::Conflict); without it only the timer counts.
    pub(crate) version: Option<CachedVersionFn>,
}

impl QueueConfig {
    pub(crate) const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(16).unwrap();
    /// Below the 30 s that a pod has between SIGTERM and SIGKILL by default.
    pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(25);
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            concurrency: Self::CONCURRENCY,
            slots: ConcurrencyLimit::default(),
            rate: Rate::default(),
            shutdown_timeout: Self::SHUTDOWN_TIMEOUT,
            pause: Pause::default(),
            version: None,
        }
    }
}
