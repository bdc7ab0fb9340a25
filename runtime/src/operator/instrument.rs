//! What an operator tells of itself while it runs, where somebody listens: the feature `metrics`. Without it nobody does.

use std::sync::Arc;

use crate::pass::PassContext;
use crate::queue::Queue;
use crate::queue::meter::{CallMeter, Meter};
use crate::queue::pause::Pause;
#[cfg(feature = "metrics")]
use crate::telemetry::metrics;
use crate::wiring::{KindInfo, Wiring};

/// Who counts, if anybody does. Cloneable: all clones are one, and with the last one the listener ends.
#[derive(Clone, Default)]
pub(super) struct Telemetry {
    #[cfg(feature = "metrics")]
    listening: Option<super::listen::Listening>,
}

/// Who counts what one reconciler does.
#[derive(Clone, Default)]
pub(super) struct Counted {
    pub(super) meter: Meter,
    #[cfg(feature = "metrics")]
    controller: Option<Arc<metrics::ReconcilerMetrics>>,
}

/// As long as this is kept, the reconciler can be looked at.
pub(super) type Shown = Box<dyn std::any::Any + Send>;

#[cfg(feature = "metrics")]
impl Telemetry {
    pub(super) fn through(listening: Option<super::listen::Listening>) -> Self {
        Self { listening }
    }

    /// Counts calls to this host.
    pub(super) fn calls(&self, host: &str) -> CallMeter {
        self.listening.as_ref().map(|listening| listening.metrics.calls(host)).unwrap_or_default()
    }

    /// Counts what the reconciler does.
    pub(super) fn reconciler(&self, wiring: &Wiring, kind: &KindInfo, concurrency: usize) -> Counted {
        let Some(listening) = &self.listening else { return Counted::default() };
        let controller = listening.metrics.controller(wiring, kind, concurrency);
        Counted { meter: Meter::new(controller.clone()), controller: Some(controller) }
    }

    /// All reconcilers are at work.
    pub(super) fn started(&self) {
        if let Some(listening) = &self.listening {
            listening.metrics.start();
        }
    }
}

#[cfg(not(feature = "metrics"))]
impl Telemetry {
    pub(super) fn calls(&self, _host: &str) -> CallMeter {
        CallMeter::default()
    }

    pub(super) fn reconciler(&self, _wiring: &Wiring, _kind: &KindInfo, _concurrency: usize) -> Counted {
        Counted::default()
    }

    pub(super) fn started(&self) {}
}

impl Counted {
    /// Lets this be looked at.
    #[cfg(feature = "metrics")]
    pub(super) fn show(&self, worker: &Arc<PassContext>, queue: &Queue, pause: &Pause) -> Shown {
        let (worker, queue, pause) = (worker.clone(), queue.clone(), pause.clone());
        let working = Arc::new(crate::pass::Working { worker, queue, pause });
        if let Some(controller) = &self.controller {
            controller.watch(&working);
        }
        Box::new(working)
    }

    /// Nobody looks.
    #[cfg(not(feature = "metrics"))]
    pub(super) fn show(&self, _worker: &Arc<PassContext>, _queue: &Queue, _pause: &Pause) -> Shown {
        Box::new(())
    }
}
