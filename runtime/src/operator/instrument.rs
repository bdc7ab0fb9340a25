//! Metrics and debug data of a running operator, with the feature `metrics`; without it, no-ops.

use std::sync::Arc;

use crate::pass::PassContext;
#[cfg(feature = "webhooks")]
use crate::pipeline::admission::meter::ReviewMeter;
#[cfg(feature = "routes")]
use crate::pipeline::route::meter::RouteMeter;
use crate::queue::Queue;
use crate::queue::meter::{CallMeter, Meter};
use crate::queue::pause::Pause;
#[cfg(feature = "metrics")]
use crate::telemetry::metrics;
#[cfg(feature = "webhooks")]
use crate::wiring::admission::AdmissionWiring;
use crate::wiring::{KindInfo, Wiring};

/// The metrics of an operator, if enabled. Clones share one listener, which stops when the last clone is dropped.
#[derive(Clone, Default)]
pub(super) struct Telemetry {
    #[cfg(feature = "metrics")]
    listening: Option<super::listen::Listening>,
}

/// The metrics of one reconciler, if enabled.
#[derive(Clone, Default)]
pub(super) struct Counted {
    pub(super) meter: Meter,
    #[cfg(feature = "metrics")]
    controller: Option<Arc<metrics::ReconcilerMetrics>>,
}

/// The reconciler is visible to metrics and debug pages until this guard is dropped.
pub(super) type Shown = Box<dyn std::any::Any + Send>;

#[cfg(feature = "metrics")]
impl Telemetry {
    pub(super) fn through(listening: Option<super::listen::Listening>) -> Self {
        Self { listening }
    }

    /// Sets the client that checks the tokens of requests.
    pub(super) fn check_tokens_by(&self, client: &kube::Client) {
        if let Some(listening) = &self.listening {
            listening.metrics.custom().guard.check_by(client);
        }
    }

    /// A meter for calls to this host.
    pub(super) fn calls(&self, host: &str) -> CallMeter {
        self.listening.as_ref().map(|listening| listening.metrics.calls(host)).unwrap_or_default()
    }

    /// Creates the metrics of the reconciler.
    pub(super) fn reconciler(&self, wiring: &Wiring, kind: &KindInfo, concurrency: usize) -> Counted {
        let Some(listening) = &self.listening else { return Counted::default() };
        let controller = listening.metrics.controller(wiring, kind, concurrency);
        Counted { meter: Meter::new(controller.clone()), controller: Some(controller) }
    }

    /// Creates the metrics of the functions that review writes.
    #[cfg(feature = "webhooks")]
    pub(super) fn reviews<'w>(&self, functions: impl Iterator<Item = &'w AdmissionWiring>) -> ReviewMeter {
        let metrics = self.listening.as_ref().map(|listening| &listening.metrics);
        metrics.map(|metrics| metrics.reviews(functions)).unwrap_or_default()
    }

    /// Creates the metrics of the functions that answer requests of users.
    #[cfg(feature = "routes")]
    pub(super) fn routes(&self, functions: impl Iterator<Item = &'static str>) -> RouteMeter {
        let metrics = self.listening.as_ref().map(|listening| &listening.metrics);
        metrics.map(|metrics| metrics.routes(functions)).unwrap_or_default()
    }

    /// Records that all reconcilers have started.
    pub(super) fn started(&self) {
        if let Some(listening) = &self.listening {
            listening.metrics.start();
        }
    }
}

#[cfg(not(feature = "metrics"))]
impl Telemetry {
    pub(super) fn check_tokens_by(&self, _client: &kube::Client) {}

    pub(super) fn calls(&self, _host: &str) -> CallMeter {
        CallMeter::default()
    }

    pub(super) fn reconciler(&self, _wiring: &Wiring, _kind: &KindInfo, _concurrency: usize) -> Counted {
        Counted::default()
    }

    #[cfg(feature = "webhooks")]
    pub(super) fn reviews<'w>(&self, _functions: impl Iterator<Item = &'w AdmissionWiring>) -> ReviewMeter {
        ReviewMeter::default()
    }

    #[cfg(feature = "routes")]
    pub(super) fn routes(&self, _functions: impl Iterator<Item = &'static str>) -> RouteMeter {
        RouteMeter::default()
    }

    pub(super) fn started(&self) {}
}

impl Counted {
    /// Makes the reconciler visible to metrics and debug pages.
    #[cfg(feature = "metrics")]
    pub(super) fn show(&self, worker: &Arc<PassContext>, queue: &Queue, pause: &Pause) -> Shown {
        let (worker, queue, pause) = (worker.clone(), queue.clone(), pause.clone());
        let working = Arc::new(crate::pass::Working { worker, queue, pause });
        if let Some(controller) = &self.controller {
            controller.watch(&working);
        }
        Box::new(working)
    }

    /// No-op without the feature.
    #[cfg(not(feature = "metrics"))]
    pub(super) fn show(&self, _worker: &Arc<PassContext>, _queue: &Queue, _pause: &Pause) -> Shown {
        Box::new(())
    }
}
