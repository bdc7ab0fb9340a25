//! Statistics of a queue, exact.

use std::time::Duration;

/// A snapshot of the statistics of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueStats {
    /// Queued keys by lane: changes to the object, changes to related objects, timers.
    pub(crate) waiting: [usize; 3],
    /// Keys whose passes run.
    pub(crate) running: usize,
    /// Keys with a timer; they hold no slot.
    pub(crate) sleeping: usize,
    /// Passes that started.
    pub(crate) started: u64,
    /// Passes that ended.
    pub(crate) ended: u64,
    /// How many times a key without pending triggers was added.
    pub(crate) added: u64,
    /// Passes that are retried: failures and conflicts.
    pub(crate) retried: u64,
    /// Retries that the rate limit deferred.
    pub(crate) deferred: u64,
    /// Positions and timers that were popped, void ones included: the number of steps of the queue.
    pub(crate) looked: u64,
    /// How long the keys of all started passes had waited since they were ready, in total.
    pub(crate) waited: Duration,
    /// The longest of these times.
    pub(crate) longest: Duration,
    /// How long all ended passes ran, in total.
    pub(crate) worked: Duration,
}

impl QueueStats {
    /// The number of queued keys.
    pub(crate) fn depth(&self) -> usize {
        self.waiting.iter().sum()
    }

    pub(super) fn start(&mut self, waited: Duration) {
        self.started += 1;
        self.running += 1;
        self.waited += waited;
        self.longest = self.longest.max(waited);
    }

    pub(super) fn end(&mut self, worked: Duration) {
        self.ended += 1;
        self.running -= 1;
        self.worked += worked;
    }
}
