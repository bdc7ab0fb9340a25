//! The queue: one pass per object at a time, in order, with back-off per object.
//!
//! A key is queued, running or idle. Added while it runs, it runs again afterwards with the union of the causes. What changed goes
//! before what changed around it, and that before timers and restarts; within a lane first in, first out; whoever has waited for the
//! patience of its lane is not overtaken any more. One timer per key; a change cancels a pending resync; a pending retry keeps its
//! deadline if the pass in between fails too. Keys that sleep hold no slot, and retries of all keys together have a rate. What a pass
//! leaves to be done after it holds neither a slot nor the key.
//!
//! `state` is all of that as a plain value, to which the time is told; `drain` runs passes by it.

mod after_pass;
mod backoff;
mod concurrency;
mod external;
#[cfg(feature = "metrics")]
mod key_status;
pub(crate) mod meter;
pub(crate) mod pause;
mod priority;
mod rate_limit;
mod run;
mod state;
mod stats;
#[cfg(feature = "sabotage")]
mod test_hooks;
#[cfg(test)]
mod tests;
mod timers;

use std::fmt;
use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::Instant;

use self::meter::Meter;
use self::pause::Pause;
use self::state::State;
use crate::trigger::List;

pub(crate) use self::backoff::Curve;
pub(crate) use self::concurrency::Slots;
#[cfg(feature = "metrics")]
pub(crate) use self::key_status::{Phase, Spot};
pub(crate) use self::rate_limit::Rate;
pub(crate) use self::run::drain;
pub(crate) use self::stats::Figures;
#[cfg(feature = "sabotage")]
pub use self::test_hooks::{Bare, Taken, requeued};
pub(crate) use crate::trigger::Causes;

/// Which object. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) namespace: Option<Arc<str>>,
    pub(crate) name: Arc<str>,
}

impl Key {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self { namespace: namespace.map(Into::into), name: name.into() }
    }

    /// The key of an object. A server names every object; one without a name has the empty one.
    pub(crate) fn of(meta: &kube::api::ObjectMeta) -> Self {
        Self::new(meta.namespace.as_deref(), meta.name.as_deref().unwrap_or_default())
    }
}

impl fmt::Display for Key {
    /// `namespace/name`, or the name alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// When a key runs again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// When something changes.
    Await,
    /// After exactly this time; whoever computes it applies the jitter.
    After(Duration),
    /// After exactly this time, but not to run the body: the digest of the last pass is to be stored.
    Store(Duration),
    /// After exactly this time, for the same causes: the pass was put off. A try that is due before runs when it is due.
    Later(Duration),
    /// Along the back-off curve of the key, for ever.
    Retry {
        /// The curve starts anew.
        progressed: bool,
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// Along this curve, for ever, instead of that of the key.
    RetryAlong {
        /// The curve starts anew.
        progressed: bool,
        /// The curve.
        curve: Curve,
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// The pass ended before it could do anything: along the back-off curve of the key, and with what only the wake-up told.
    Undone {
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// A write met a newer version: as soon as the cache holds another one than this, or after 50 ms doubling to 5 s, with the same
    /// causes. Not a failure: the back-off stays as it is.
    Conflict {
        /// The version that was refused.
        newer_than: String,
    },
    /// The object is gone: nothing is remembered of the key.
    Forget,
}

impl Next {
    /// Whether the pass did not end well, and is tried again for that.
    pub(crate) const fn failed(&self) -> bool {
        matches!(self, Self::Retry { .. } | Self::Undone { .. } | Self::RetryAlong { .. })
    }
}

/// What is still to be done when a pass has ended and its slot is free.
pub(crate) type Tail = BoxFuture<'static, ()>;

/// A pass that has ended.
pub(crate) struct Ran {
    pub(crate) next: Next,
    pub(crate) tail: Option<Tail>,
}

impl From<Next> for Ran {
    fn from(next: Next) -> Self {
        Self { next, tail: None }
    }
}

/// How often a key has been tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Failures since the last progress.
    pub(crate) failures: u32,
    /// Conflicts in a row.
    pub(crate) conflicts: u32,
}

/// Runs passes.
pub(crate) trait Worker: Send + Sync + 'static {
    /// Runs one pass. A panic counts as a failure of this key.
    fn run(&self, key: &Key, causes: Causes, attempt: Attempt) -> impl Future<Output = Ran> + Send;

    /// Runs the future of a pass, and returns whether the API server did not answer meanwhile. Apart from the pass, which may panic.
    fn with_outage<F: Future<Output: Send> + Send>(&self, pass: F) -> impl Future<Output = (F::Output, bool)> + Send {
        pass.map(|ended| (ended, false))
    }
}

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
    /// What the cache holds, for [`Next::Conflict`]; without it only the timer counts.
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

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    added: Notify,
}

/// A keyed work queue. Cloneable: all clones are one queue.
#[derive(Clone, Default)]
pub(crate) struct Queue(Arc<Shared>);

impl Queue {
    pub(crate) fn new(causes: List, rate: Rate) -> Self {
        let state = Mutex::new(State::new(causes, rate));
        Self(Arc::new(Shared { state, added: Notify::new() }))
    }

    /// Wants a pass for the key.
    pub(crate) fn add(&self, key: &Key, causes: Causes) {
        self.lock().add(key, causes, Instant::now());
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
    pub(crate) fn spot(&self, key: &Key) -> Option<Spot> {
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
    pub(crate) fn figures(&self) -> Figures {
        self.lock().figures()
    }

    /// Queues what is due; says when the next is, and whether any key waits.
    fn wake(&self) -> (Option<Instant>, bool) {
        let mut state = self.lock();
        (state.wake(Instant::now()), state.depth() > 0)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
