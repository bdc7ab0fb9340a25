//! Metrics of one reconciler. All series are created at the start; none is added later.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::families::Families;
use super::subject::Subject;
use crate::lock::{Mutex, MutexGuard};
use crate::outcome::Outcome;
use crate::queue::meter::{Counts, CutOff};
use crate::queue::{Key, KeyMap, Next};
use crate::watch::UNDECODABLE;
use crate::wiring::Wiring;

/// The results of a pass, named as in controller-runtime.
const RESULTS: [&str; 4] = ["success", "error", "requeue", "requeue_after"];

/// The results of a step.
pub(crate) const ENDS: [&str; 7] = ["success", "stalled", "waiting", "transient", "ignored", "panic", "timeout"];

/// The results of a daemon. `stopped`: its object or the operator no longer needs it.
const DAEMON_ENDS: [&str; 8] = ["success", "stalled", "waiting", "transient", "ignored", "panic", "timeout", "stopped"];

/// The events of a watcher.
const EVENTS: [&str; 4] = ["add", "update", "sync", "delete"];

/// The results of a call of a watcher.
const CALL_ENDS: [&str; 5] = ["success", "stalled", "waiting", "transient", "ignored"];

/// The metrics of one reconciler.
pub(crate) struct ReconcilerMetrics {
    wiring: Wiring,
    kind: String,
    concurrency: usize,
    results: [Counter; 4],
    errors: Counter,
    terminal: Counter,
    panics: Counter,
    timeouts: Counter,
    time: Histogram,
    waited: Histogram,
    worked: Histogram,
    steps: Vec<Step>,
    calls: Vec<Calls>,
    daemons: Vec<Running>,
    last: Mutex<KeyMap<Last>>,
    subject: OnceLock<Weak<dyn Subject>>,
}

struct Step {
    name: &'static str,
    ends: [Counter; 7],
    time: Histogram,
}

/// The calls of a watcher for one event.
struct Calls {
    event: &'static str,
    ends: [Counter; 5],
    time: Histogram,
}

struct Running {
    name: &'static str,
    now: Gauge,
    ends: [Counter; 8],
}

/// How the last pass of an object ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    pub(crate) outcome: &'static str,
    pub(crate) took: Duration,
    pub(crate) at: tokio::time::Instant,
}

impl ReconcilerMetrics {
    pub(super) fn new(families: &Families, wiring: &Wiring, kind: &str, concurrency: usize) -> Self {
        let controller = [("controller", wiring.name)];
        let result = |result| families.reconciles.get_or_create_owned(&[controller[0], ("result", result)]);
        let queue = [("controller", wiring.name), ("name", wiring.name)];
        let step = |step: crate::wiring::StepWiring| {
            let label = ("step", step.name);
            let ended = |end| families.steps.get_or_create_owned(&[controller[0], label, ("result", end)]);
            let time = families.step_time.get_or_create_owned(&[controller[0], label]);
            Step { name: step.name, ends: ENDS.map(ended), time }
        };
        let calls = |event| {
            let label = ("event", event);
            let ended = |end| families.calls.get_or_create_owned(&[controller[0], label, ("result", end)]);
            let time = families.call_time.get_or_create_owned(&[controller[0], label]);
            Calls { event, ends: CALL_ENDS.map(ended), time }
        };
        let daemon = |daemon: &crate::wiring::DaemonHandler| {
            let (name, label) = (daemon.step.name, ("daemon", daemon.step.name));
            let ended = |end| families.daemon_ends.get_or_create_owned(&[controller[0], label, ("result", end)]);
            let now = families.daemons.get_or_create_owned(&[controller[0], label]);
            Running { name, now, ends: DAEMON_ENDS.map(ended) }
        };
        Self {
            wiring: *wiring,
            kind: kind.to_owned(),
            concurrency,
            results: RESULTS.map(result),
            errors: families.errors.get_or_create_owned(&controller),
            terminal: families.terminal.get_or_create_owned(&controller),
            panics: families.panics.get_or_create_owned(&controller),
            timeouts: families.timeouts.get_or_create_owned(&controller),
            time: families.time.get_or_create_owned(&controller),
            waited: families.waited.get_or_create_owned(&queue),
            worked: families.worked.get_or_create_owned(&queue),
            steps: wiring.all_steps().map(step).collect(),
            calls: EVENTS.into_iter().filter(|_| wiring.watcher.is_some()).map(calls).collect(),
            daemons: wiring.daemons.iter().map(daemon).collect(),
            last: Mutex::default(),
            subject: OnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.wiring.name
    }

    pub(crate) fn kind(&self) -> &str {
        &self.kind
    }

    pub(crate) fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    pub(crate) fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// Sets the running reconciler for scrapes and debug pages.
    pub(crate) fn watch(&self, subject: &Arc<impl Subject + 'static>) {
        let subject: Arc<dyn Subject> = subject.clone();
        let _ = self.subject.set(Arc::downgrade(&subject));
    }

    /// The running reconciler; none before the start and after the end.
    pub(crate) fn subject(&self) -> Option<Arc<dyn Subject>> {
        self.subject.get()?.upgrade()
    }

    /// How the last pass of the object ended; none before its first pass.
    pub(crate) fn last(&self, key: &Key) -> Option<Last> {
        self.lasts().get(key).copied()
    }

    fn lasts(&self) -> MutexGuard<'_, KeyMap<Last>> {
        self.last.lock()
    }
}

impl Counts for ReconcilerMetrics {
    fn waited(&self, wait: Duration) {
        self.waited.observe(wait.as_secs_f64());
    }

    fn worked(&self, work: Duration) {
        self.worked.observe(work.as_secs_f64());
    }

    fn pass(&self, key: &Key, outcome: &'static str, next: &Next, took: Duration) {
        let result = result(outcome, next);
        count(&RESULTS, &self.results, result);
        if result == "error" {
            self.errors.inc();
            if matches!(next, Next::Await | Next::Store(_)) {
                self.terminal.inc();
            }
        }
        self.time.observe(took.as_secs_f64());
        let last = Last { outcome, took, at: tokio::time::Instant::now() };
        match next {
            Next::Forget => self.lasts().remove(key),
            _ => self.lasts().insert(key.clone(), last),
        };
    }

    fn cut_off(&self, how: CutOff) {
        match how {
            CutOff::Panic => self.panics.inc(),
            CutOff::TimeOut => self.timeouts.inc(),
        };
    }

    fn step(&self, step: &'static str, how: &'static str, took: Duration) {
        let Some(step) = self.steps.iter().find(|known| known.name == step) else { return };
        count(&ENDS, &step.ends, how);
        step.time.observe(took.as_secs_f64());
    }

    fn watcher_call(&self, event: &'static str, how: &'static str, took: Duration) {
        let Some(calls) = self.calls.iter().find(|known| known.event == event) else { return };
        count(&CALL_ENDS, &calls.ends, how);
        calls.time.observe(took.as_secs_f64());
    }

    fn daemon_started(&self, daemon: &'static str) {
        if let Some(daemon) = self.daemons.iter().find(|known| known.name == daemon) {
            daemon.now.inc();
        }
    }

    fn daemon_ended(&self, daemon: &'static str, how: &'static str) {
        let Some(daemon) = self.daemons.iter().find(|known| known.name == daemon) else { return };
        daemon.now.dec();
        count(&DAEMON_ENDS, &daemon.ends, how);
    }
}

/// Increments the counter of a result.
fn count<const N: usize>(results: &[&str; N], counters: &[Counter; N], result: &str) {
    if let Some(at) = results.iter().position(|known| *known == result) {
        counters[at].inc();
    }
}

/// The result as controller-runtime counts it. A stalled object is an error without a retry; a conflict is no error.
fn result(outcome: &str, next: &Next) -> &'static str {
    match next {
        Next::Retry { .. } | Next::RetryAlong { .. } if outcome == (Outcome::Requeue { after: None }).as_str() => {
            "requeue"
        }
        Next::Retry { .. } | Next::NotStarted { .. } | Next::RetryAlong { .. } => "error",
        Next::Conflict { .. } => "requeue",
        // A watcher has given up, and its requeue interval tries again.
        Next::After(_) | Next::Later(_) if outcome == "Stalled" => "error",
        Next::After(_) | Next::Later(_) => "requeue_after",
        Next::Await | Next::Store(_) | Next::Forget if matches!(outcome, "Stalled" | UNDECODABLE) => "error",
        Next::Await | Next::Store(_) | Next::Forget => "success",
    }
}

/// The reconcilers that an operator runs.
#[derive(Clone, Default)]
pub(crate) struct Subjects(Arc<Mutex<Vec<Arc<ReconcilerMetrics>>>>);

impl Subjects {
    pub(crate) fn add(&self, controller: Arc<ReconcilerMetrics>) {
        self.0.lock().push(controller);
    }

    pub(crate) fn all(&self) -> Vec<Arc<ReconcilerMetrics>> {
        self.0.lock().clone()
    }
}

impl std::fmt::Debug for Subjects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all().iter().map(|controller| controller.name())).finish()
    }
}
