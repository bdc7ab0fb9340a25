//! The queue: one pass per object at a time, in order, with back-off per object.
//!
//! A key is queued, running or idle. Added while it runs, it runs again afterwards with the union of the triggers. What changed goes
//! before what changed around it, and that before timers and restarts; within a lane first in, first out; whoever has waited for the
//! patience of its lane is not overtaken any more. One timer per key; a change cancels a pending resync; a pending retry keeps its
//! deadline if the pass in between fails too. Keys that sleep hold no slot, and retries of all keys together have a rate. What a pass
//! leaves to be done after it holds neither a slot nor the key.
//!
//! `state` is all of that as a plain value, to which the time is told; `drain` runs passes by it. [`Queue`] is the handle of both.

mod after_pass;
mod backoff;
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

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "metrics")]
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use self::meter::Meter;
use self::state::KeyEntries;
use crate::trigger::EnabledTriggers;

pub(crate) use self::backoff::Backoff;
pub(crate) use self::concurrency::ConcurrencyLimit;
pub(crate) use self::config::{CachedVersionFn, QueueConfig};
pub(crate) use self::key::Key;
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

/// A keyed work queue. Cloneable: all clones are one queue.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Shared>);

impl Queue {
    pub(crate) fn new(triggers: EnabledTriggers, rate: Rate) -> Self {
        let state = Mutex::new(KeyEntries::new(triggers, rate));
        Self(Arc::new(Shared { state, added: Notify::new() }))
    }

    /// Wants a pass for the key.
    pub(crate) fn add(&self, key: &Key, triggers: TriggerSet) {
        self.lock().add(key, triggers, Instant::now());
        self.0.added.notify_one();
    }

    /// Says that the cache now holds this version: a key that met a conflict runs if it waits for another one.
    pub(crate) fn seen(&self, key: &Key, version: &str) {
        if self.lock().seen(key, Some(version), Instant::now()) {
            self.0.added.notify_one();
        }
    }

    /// From now on this counts how long keys wait and passes take.
    pub(crate) fn measure(&self, meter: Meter) {
        self.lock().meter = meter;
    }

    /// How the key stands; `None`: at rest, without a history.
    #[cfg(feature = "metrics")]
    pub(crate) fn spot(&self, key: &Key) -> Option<KeyStatus> {
        self.lock().spot(key, Instant::now())
    }

    /// How long the passes that run have run: together, and the longest.
    #[cfg(feature = "metrics")]
    pub(crate) fn unfinished(&self) -> (Duration, Duration) {
        let state = self.lock();
        let none = (Duration::ZERO, Duration::ZERO);
        state.unfinished(Instant::now()).fold(none, |(sum, longest), time| (sum + time, longest.max(time)))
    }

    /// What it holds and has done.
    pub(crate) fn figures(&self) -> QueueStats {
        self.lock().figures()
    }

    /// Queues what is due; says when the next is, and whether any key waits.
    fn wake(&self) -> (Option<Instant>, bool) {
        let mut state = self.lock();
        (state.wake(Instant::now()), state.depth() > 0)
    }

    fn lock(&self) -> MutexGuard<'_, KeyEntries> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
