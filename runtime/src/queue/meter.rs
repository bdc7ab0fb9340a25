//! The port to whoever counts what an operator does. Nobody does unless a feature does: then each of these is one look at an `Option`.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::key::Key;
use super::next::Next;

/// Counts what one reconciler does.
pub(crate) trait Counts: Send + Sync {
    /// A pass begins, for which its key had waited this long since it might have run.
    fn waited(&self, wait: Duration);
    /// A pass has left the queue after this long.
    fn worked(&self, work: Duration);
    /// A pass has ended: how, in a word, and when it runs again.
    fn pass(&self, key: &Key, outcome: &'static str, next: &Next, took: Duration);
    /// The body of a pass did not return.
    fn cut_off(&self, how: CutOff);
    /// A step has ended.
    fn step(&self, step: &'static str, how: &'static str, took: Duration);
}

/// Counts the calls of all reconcilers.
pub(crate) trait CountsCalls: Send + Sync {
    /// The head of an answer is there; without a code there was none.
    fn call(&self, call: &Call<'_>);
}

/// A call to the API server.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who counts is in a feature"))]
pub(crate) struct Call<'a> {
    /// GET, PATCH, ...
    pub(crate) method: &'a str,
    /// get, apply, ...
    pub(crate) verb: &'static str,
    pub(crate) group: &'a str,
    pub(crate) plural: &'a str,
    /// The step that made it; empty where none did.
    pub(crate) step: &'static str,
    pub(crate) code: Option<u16>,
}

/// Why a body did not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutOff {
    Panic,
    TimeOut,
}

/// A reconciler's counts, if anybody keeps them.
#[derive(Clone, Default)]
pub(crate) struct Meter(Option<Arc<dyn Counts>>);

impl Meter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn Counts>) -> Self {
        Self(Some(counts))
    }

    /// The time, if anybody wants to know how long something takes.
    pub(crate) fn begin(&self) -> Option<Instant> {
        self.0.as_ref().map(|_| Instant::now())
    }

    /// Tells whoever counts.
    pub(crate) fn record(&self, what: impl FnOnce(&dyn Counts)) {
        if let Some(counts) = &self.0 {
            what(&**counts);
        }
    }
}

/// The counts of calls, if anybody keeps them.
#[derive(Clone, Default)]
pub(crate) struct CallMeter(Option<Arc<dyn CountsCalls>>);

impl CallMeter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn CountsCalls>) -> Self {
        Self(Some(counts))
    }

    /// Tells whoever counts.
    pub(crate) fn record(&self, what: impl FnOnce(&dyn CountsCalls)) {
        if let Some(counts) = &self.0 {
            what(&**counts);
        }
    }
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Meter").field(&self.0.is_some()).finish()
    }
}

impl std::fmt::Debug for CallMeter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CallMeter").field(&self.0.is_some()).finish()
    }
}
