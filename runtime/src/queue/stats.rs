//! What a queue has done and holds, in exact numbers.

use std::time::Duration;

/// The numbers of a queue; a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QueueStats {
    /// Keys that wait for a free slot: changed, with changes around them, woken by time.
    pub(crate) waiting: [usize; 3],
    /// Keys whose passes run.
    pub(crate) running: usize,
    /// Keys with a timer: they hold no slot.
    pub(crate) sleeping: usize,
    /// Passes that began.
    pub(crate) started: u64,
    /// Passes that ended.
    pub(crate) ended: u64,
    /// How often a key began to want a pass.
    pub(crate) added: u64,
    /// Passes that are to be tried again: failed ones and conflicts.
    pub(crate) retried: u64,
    /// Retries that the rate put off.
    pub(crate) deferred: u64,
    /// Places and timers that were looked at, void ones included: the steps that all of this took.
    pub(crate) looked: u64,
    /// How long the passes that began had waited since they might have run, together.
    pub(crate) waited: Duration,
    /// The longest of these times.
    pub(crate) longest: Duration,
    /// How long the passes that ended ran, together.
    pub(crate) worked: Duration,
}

impl QueueStats {
    /// How many keys wait.
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
