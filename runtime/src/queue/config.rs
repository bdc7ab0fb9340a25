//! Configuration of a queue: limits, shutdown timeout, pause.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::concurrency::ConcurrencyLimit;
use super::key::Key;
use super::pause::Pause;
use super::rate_limit::Rate;

/// Returns the resource version of an object in the cache.
pub(crate) type CachedVersionFn = Arc<dyn Fn(&Key) -> Option<String> + Send + Sync>;

/// Configuration of [`drain`](super::drain).
#[derive(Clone)]
pub(crate) struct QueueConfig {
    /// Concurrent passes of this queue.
    pub(crate) concurrency: NonZeroUsize,
    /// Concurrent passes of all queues that share these slots.
    pub(crate) slots: ConcurrencyLimit,
    /// Retries per second of all queues that share this rate.
    pub(crate) rate: Rate,
    /// How long running passes may continue after the stop.
    pub(crate) shutdown_timeout: Duration,
    /// While it is on, no pass starts.
    pub(crate) pause: Pause,
    /// Reads the cache for [`Next::Conflict`](super::next::Next::Conflict). `None`: only the timer ends the wait.
    pub(crate) version: Option<CachedVersionFn>,
}

impl QueueConfig {
    pub(crate) const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(16).unwrap();
    /// Below the default grace period of a pod, 30 s between SIGTERM and SIGKILL.
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
