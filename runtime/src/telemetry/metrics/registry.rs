//! The families of metrics, and what is registered in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::calls::Calls;
use super::scrape::Scrape;
use super::{Controller, Subjects};
use crate::queue::meter::CallMeter;
use crate::watch::Health;
use crate::wiring::{KindInfo, Wiring};

/// Labels with values that the wiring names.
pub(super) type Labels<const N: usize> = [(&'static str, &'static str); N];
pub(super) type Counters<const N: usize> = Family<Labels<N>, Counter>;
pub(super) type Times<const N: usize> = Family<Labels<N>, Histogram, Buckets>;

/// The buckets of a histogram, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buckets(&'static [f64]);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

/// Those of controller-runtime for a pass.
const PASS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5,
    1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0,
];
/// Those of controller-runtime for a queue.
const QUEUE: &[f64] = &[1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// What is counted along the way, by reconciler.
pub(super) struct Families {
    pub(super) reconciles: Counters<2>,
    pub(super) errors: Counters<1>,
    pub(super) terminal: Counters<1>,
    pub(super) panics: Counters<1>,
    pub(super) timeouts: Counters<1>,
    pub(super) time: Times<1>,
    pub(super) waited: Times<2>,
    pub(super) worked: Times<2>,
    pub(super) steps: Counters<3>,
    pub(super) step_time: Times<2>,
}

impl Families {
    fn new() -> Self {
        Self {
            reconciles: Family::default(),
            errors: Family::default(),
            terminal: Family::default(),
            panics: Family::default(),
            timeouts: Family::default(),
            time: Family::new_with_constructor(Buckets(PASS)),
            waited: Family::new_with_constructor(Buckets(QUEUE)),
            worked: Family::new_with_constructor(Buckets(QUEUE)),
            steps: Family::default(),
            step_time: Family::new_with_constructor(Buckets(PASS)),
        }
    }

    fn register(&self, into: &mut Registry) {
        let reconcile = |what: &str| format!("controller_runtime_reconcile_{what}");
        into.register("controller_runtime_reconcile", "Passes, by reconciler and result", self.reconciles.clone());
        into.register(reconcile("errors"), "Passes that failed, by reconciler", self.errors.clone());
        let text = "Passes that left their object stalled, by reconciler";
        into.register("controller_runtime_terminal_reconcile_errors", text, self.terminal.clone());
        into.register(reconcile("panics"), "Passes that panicked, by reconciler", self.panics.clone());
        into.register(reconcile("timeouts"), "Passes that ran out of time, by reconciler", self.timeouts.clone());
        into.register(reconcile("time_seconds"), "How long a pass takes, by reconciler", self.time.clone());
        let text = "How long an object waits for its pass, by reconciler";
        into.register("workqueue_queue_duration_seconds", text, self.waited.clone());
        into.register(
            "workqueue_work_duration_seconds",
            "How long a pass holds its object, by reconciler",
            self.worked.clone(),
        );
        into.register("evenkeel_step", "Runs of a step, by result", self.steps.clone());
        into.register("evenkeel_step_duration_seconds", "How long a step takes", self.step_time.clone());
    }
}

/// The metrics of an operator. Cloneable: all clones are one.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Inner>);

struct Inner {
    families: Families,
    calls: Arc<Calls>,
    registry: Registry,
    subjects: Subjects,
    health: Health,
    started: AtomicBool,
}

impl Metrics {
    pub(crate) fn new(health: Health) -> Self {
        let (families, calls, subjects) = (Families::new(), Arc::new(Calls::new()), Subjects::default());
        let mut registry = Registry::default();
        families.register(&mut registry);
        calls.register(&mut registry);
        registry.register_collector(Box::new(Scrape(subjects.clone())));
        let started = AtomicBool::new(false);
        Self(Arc::new(Inner { families, calls, registry, subjects, health, started }))
    }

    /// Makes the series of a reconciler.
    pub(crate) fn controller(&self, wiring: &Wiring, kind: &KindInfo, concurrency: usize) -> Arc<Controller> {
        let controller = Arc::new(Controller::new(&self.0.families, wiring, &kind.resource.kind, concurrency));
        self.0.calls.know(wiring, kind);
        self.0.subjects.add(controller.clone());
        controller
    }

    /// Counts the calls to this host.
    pub(crate) fn calls(&self, host: &str) -> CallMeter {
        self.0.calls.to(host);
        CallMeter::new(self.0.calls.clone())
    }

    /// All reconcilers are at work.
    pub(crate) fn start(&self) {
        self.0.started.store(true, Ordering::SeqCst);
    }

    pub(super) fn has_started(&self) -> bool {
        self.0.started.load(Ordering::SeqCst)
    }

    pub(super) fn subjects(&self) -> Vec<Arc<Controller>> {
        self.0.subjects.all()
    }

    pub(super) fn health(&self) -> &Health {
        &self.0.health
    }

    /// All of it as text.
    ///
    /// # Errors
    /// None that a string could have.
    pub(super) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        text::encode(&mut text, &self.0.registry)?;
        Ok(text)
    }
}
