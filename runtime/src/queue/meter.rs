//! The interface to the metrics of an operator. Without the feature `metrics` each call only checks an `Option`.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::key::Key;
use super::next::Next;

/// Records the metrics of one reconciler.
pub(crate) trait Counts: Send + Sync {
    /// A pass starts; its key has waited this long since it was ready to run.
    fn waited(&self, wait: Duration);
    /// A pass has left the queue after this long.
    fn worked(&self, work: Duration);
    /// A pass has ended, with its outcome, when the key runs next, and its duration.
    fn pass(&self, key: &Key, outcome: &'static str, next: &Next, took: Duration);
    /// The body of a pass did not return.
    fn cut_off(&self, how: CutOff);
    /// A step has ended.
    fn step(&self, step: &'static str, how: &'static str, took: Duration);
    /// A call of a watcher has ended.
    fn watcher_call(&self, event: &'static str, how: &'static str, took: Duration);
    /// A daemon has started.
    fn daemon_started(&self, daemon: &'static str);
    /// A daemon has ended, or was stopped.
    fn daemon_ended(&self, daemon: &'static str, how: &'static str);
}

/// Records the API calls of all reconcilers.
pub(crate) trait CountsCalls: Send + Sync {
    /// The head of a response has arrived, or the call has failed (no status code).
    fn call(&self, call: &Call<'_>);
}

/// A call to the API server.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who counts is in a feature"))]
pub(crate) struct Call<'a> {
    /// The HTTP method: GET, PATCH, ...
    pub(crate) method: &'a str,
    /// The Kubernetes verb: get, apply, ...
    pub(crate) verb: &'static str,
    pub(crate) group: &'a str,
    pub(crate) plural: &'a str,
    /// The step that made the call; empty if it was none.
    pub(crate) step: &'static str,
    pub(crate) code: Option<u16>,
}

/// Why a body did not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutOff {
    Panic,
    TimeOut,
}

/// The metrics of a reconciler, if enabled.
#[derive(Clone, Default)]
pub(crate) struct Meter(Option<Arc<dyn Counts>>);

impl Meter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn Counts>) -> Self {
        Self(Some(counts))
    }

    /// The current time, if metrics are enabled.
    pub(crate) fn begin(&self) -> Option<Instant> {
        self.0.as_ref().map(|_| Instant::now())
    }

    /// Records a metric, if enabled.
    pub(crate) fn record(&self, what: impl FnOnce(&dyn Counts)) {
        if let Some(counts) = &self.0 {
            what(&**counts);
        }
    }
}

/// The metrics of API calls, if enabled.
#[derive(Clone, Default)]
pub(crate) struct CallMeter(Option<Arc<dyn CountsCalls>>);

impl CallMeter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn CountsCalls>) -> Self {
        Self(Some(counts))
    }

    /// Records a metric, if enabled.
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
