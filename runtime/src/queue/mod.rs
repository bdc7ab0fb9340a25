//! The queue: one pass per object at a time, in order, with back-off per object.
//!
//! A key is queued, running or idle. If it is added while it runs, it runs again afterwards, with the union of the triggers. Changes to
//! the object have priority over changes to related objects, and those over timers and restarts. A lane is first in, first out; after the
//! patience of its lane a key is not overtaken any more. Each key has one timer. A change cancels a pending resync; a pending retry keeps
//! its deadline if the pass in between fails too. Keys that wait for a timer hold no slot. Retries of all keys share one rate limit.
//! After-pass work holds neither a slot nor the key.
//!
//! `state` implements all of that as a plain value that gets the time as an argument; `drain` runs the passes. [`Queue`] is the handle to
//! both.

mod after_pass;
mod concurrency;
mod config;
mod external;
mod key;
#[cfg(feature = "metrics")]
mod key_status;
pub(crate) mod meter;
mod next;
pub(crate) mod pause;
mod priority;
mod rate_limit;
mod run;
mod state;
mod stats;
#[cfg(feature = "__test-hooks")]
mod test_hooks;
#[cfg(test)]
mod tests;
mod timers;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use self::meter::Meter;
use self::state::KeyEntries;
use crate::lock::{Mutex, MutexGuard};
use crate::trigger::EnabledTriggers;

pub(crate) use self::concurrency::ConcurrencyLimit;
pub(crate) use self::config::{CachedVersionFn, QueueConfig};
pub(crate) use self::key::{FastMap, Key, KeyMap};
#[cfg(feature = "metrics")]
pub(crate) use self::key_status::{KeyStatus, Phase};
pub(crate) use self::next::Next;
pub(crate) use self::rate_limit::Rate;
pub(crate) use self::run::drain;
pub(crate) use self::stats::QueueStats;
#[cfg(feature = "__test-hooks")]
pub use self::test_hooks::{Bare, Taken, requeued};
pub(crate) use self::worker::{Attempt, PassOutput, Worker};
pub(crate) use crate::trigger::TriggerSet;

#[derive(Default)]
struct Shared {
    state: Mutex<KeyEntries>,
    added: Notify,
}

/// A keyed work queue. Clones share one queue.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Shared>);

impl Queue {
    pub(crate) fn new(triggers: EnabledTriggers, rate: Rate) -> Self {
        let state = Mutex::new(KeyEntries::new(triggers, rate));
        Self(Arc::new(Shared { state, added: Notify::new() }))
    }

    /// Enqueues the key.
    pub(crate) fn add(&self, key: &Key, triggers: TriggerSet) {
        self.lock().add_event(key, triggers, Instant::now());
        self.0.added.notify_one();
    }

    /// Records the version in the cache. A key whose write met a conflict is enqueued if the version is newer than the refused one.
    pub(crate) fn seen(&self, key: &Key, version: &str) {
        if self.lock().seen(key, Some(version), Instant::now()) {
            self.0.added.notify_one();
        }
    }

    /// Sets how long a change waits for further ones. An external scheduler has its own window.
    pub(crate) fn set_debounce(&self, window: Option<Duration>) {
        self.lock().debounce = window;
    }

    /// Sets the meter that records how long keys wait and passes take.
    pub(crate) fn measure(&self, meter: Meter) {
        self.lock().meter = meter;
    }

    /// The state of the key. `None`: idle, without a history.
    #[cfg(feature = "metrics")]
    pub(crate) fn spot(&self, key: &Key) -> Option<KeyStatus> {
        self.lock().spot(key, Instant::now())
    }

    /// How long the running passes have run: the sum, and the longest.
    #[cfg(feature = "metrics")]
    pub(crate) fn unfinished(&self) -> (Duration, Duration) {
        let state = self.lock();
        let none = (Duration::ZERO, Duration::ZERO);
        state.unfinished(Instant::now()).fold(none, |(sum, longest), time| (sum + time, longest.max(time)))
    }

    /// A snapshot of the statistics.
    pub(crate) fn figures(&self) -> QueueStats {
        self.lock().figures()
    }

    /// Enqueues the keys that are due. Returns when the next one is due, and whether any key is queued.
    fn enqueue_due(&self) -> (Option<Instant>, bool) {
        let mut state = self.lock();
        (state.enqueue_due(Instant::now()), state.depth() > 0)
    }

    fn lock(&self) -> MutexGuard<'_, KeyEntries> {
        self.0.state.lock()
    }
}
