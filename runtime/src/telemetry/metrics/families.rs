//! The families of metrics: names, help texts, labels and buckets.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Labels whose values come from the wiring.
pub(super) type Labels<const N: usize> = [(&'static str, &'static str); N];
pub(super) type Counters<const N: usize> = Family<Labels<N>, Counter>;
pub(super) type Gauges<const N: usize> = Family<Labels<N>, Gauge>;
pub(super) type Times<const N: usize> = Family<Labels<N>, Histogram, Buckets>;

/// The buckets of a histogram, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buckets(&'static [f64]);

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

/// The buckets of controller-runtime for a reconcile.
const PASS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5,
    1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0,
];
/// The buckets of controller-runtime for a workqueue.
const QUEUE: &[f64] = &[1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// The API server waits at most 30 s.
#[cfg(feature = "webhooks")]
const REVIEW: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// The metrics that are updated while passes run, by reconciler.
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
    pub(super) calls: Counters<3>,
    pub(super) call_time: Times<2>,
    pub(super) daemons: Gauges<2>,
    pub(super) daemon_ends: Counters<3>,
    #[cfg(feature = "webhooks")]
    pub(super) reviews: Counters<2>,
    #[cfg(feature = "webhooks")]
    pub(super) review_time: Times<1>,
    #[cfg(feature = "webhooks")]
    pub(super) replaced_lists: Counters<1>,
    #[cfg(feature = "routes")]
    pub(super) routes: Counters<2>,
    #[cfg(feature = "routes")]
    pub(super) route_time: Times<1>,
}

impl Families {
    pub(super) fn new() -> Self {
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
            calls: Family::default(),
            call_time: Family::new_with_constructor(Buckets(PASS)),
            daemons: Family::default(),
            daemon_ends: Family::default(),
            #[cfg(feature = "webhooks")]
            reviews: Family::default(),
            #[cfg(feature = "webhooks")]
            review_time: Family::new_with_constructor(Buckets(REVIEW)),
            #[cfg(feature = "webhooks")]
            replaced_lists: Family::default(),
            #[cfg(feature = "routes")]
            routes: Family::default(),
            #[cfg(feature = "routes")]
            route_time: Family::new_with_constructor(Buckets(REVIEW)),
        }
    }

    pub(super) fn register(&self, into: &mut Registry) {
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
        into.register("evenkeel_watcher_calls", "Calls of a watcher, by event and result", self.calls.clone());
        let text = "How long a call of a watcher takes, by event";
        into.register("evenkeel_watcher_call_duration_seconds", text, self.call_time.clone());
        into.register("evenkeel_daemons", "Running daemons, by reconciler", self.daemons.clone());
        into.register("evenkeel_daemon_ends", "Ends of a daemon, by result", self.daemon_ends.clone());
        #[cfg(feature = "webhooks")]
        self.register_reviews(into);
        #[cfg(feature = "routes")]
        self.register_routes(into);
    }

    #[cfg(feature = "routes")]
    fn register_routes(&self, into: &mut Registry) {
        into.register("evenkeel_route_requests", "Requests for routes, by function and result", self.routes.clone());
        let text = "How long the answer to a request for a route takes";
        into.register("evenkeel_route_request_duration_seconds", text, self.route_time.clone());
    }

    #[cfg(feature = "webhooks")]
    fn register_reviews(&self, into: &mut Registry) {
        let text = "Reviews of writes, by function and result";
        into.register("evenkeel_admission_reviews", text, self.reviews.clone());
        let text = "How long a function takes to review a write";
        into.register("evenkeel_admission_review_duration_seconds", text, self.review_time.clone());
        let text = "Lists that patches replace as a whole, by the first function of the kind; unknown members of their items are lost";
        into.register("evenkeel_admission_replaced_lists", text, self.replaced_lists.clone());
    }
}
