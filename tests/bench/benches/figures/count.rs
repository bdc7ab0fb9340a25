//! Counts the allocations of a controller: at load, when idle, per event, and during a relist.

use std::time::Duration;

use allocation_counter::measure;
use evenkeel_bench::answers::Answers;
use kube::Client;
use tokio::runtime::Runtime;

/// The counts per object.
pub(crate) struct Figures {
    /// Live bytes once everything is loaded.
    pub(crate) live: f64,
    /// Allocations of the load.
    pub(crate) load: f64,
    /// Allocations of an event that ends in a pass without work.
    pub(crate) event: f64,
    /// The maximum of additional live bytes during a relist.
    pub(crate) peak: f64,
}

/// Runs the controller on the answers, in virtual time.
pub(crate) fn count<F: Future<Output = ()> + Send + 'static>(
    answers: &Answers,
    start: impl Fn(Client) -> F,
) -> Figures {
    let runtime = runtime();
    let objects = answers.objects() as f64;
    let load = measure(|| begin(&runtime, answers, &start));
    // Before the events: the list has the objects as they were loaded, and older versions would look like another store.
    let relist = measure(|| {
        answers.forget();
        settle(&runtime);
    });
    let event = measure(|| {
        answers.change(0, answers.objects());
        settle(&runtime);
    });
    let live = load.bytes_current as f64;
    Figures {
        live: live / objects,
        load: load.count_total as f64 / objects,
        event: event.count_total as f64 / objects,
        peak: (live + relist.bytes_max as f64) / live,
    }
}

/// Allocations per change that a write of the status and its event follow.
pub(crate) fn written<F: Future<Output = ()> + Send + 'static>(answers: &Answers, start: impl Fn(Client) -> F) -> f64 {
    let runtime = runtime();
    begin(&runtime, answers, &start);
    let before = answers.writes();
    let changes = measure(|| {
        answers.change(0, answers.objects());
        settle(&runtime);
    });
    assert_eq!(answers.writes() - before, answers.objects(), "one write follows each change");
    changes.count_total as f64 / answers.objects() as f64
}

/// The live bytes per object once everything is loaded.
pub(crate) fn live<F: Future<Output = ()> + Send + 'static>(answers: &Answers, start: impl Fn(Client) -> F) -> f64 {
    let runtime = runtime();
    measure(|| begin(&runtime, answers, &start)).bytes_current as f64 / answers.objects() as f64
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Starts the controller, and waits until it has loaded everything.
pub(crate) fn begin<F: Future<Output = ()> + Send + 'static>(
    runtime: &Runtime,
    answers: &Answers,
    start: impl Fn(Client) -> F,
) {
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(start(client));
    settle(runtime);
}

/// Waits for everything that is due: time only passes when there is no other work. Shorter than the resyncs, which are not measured.
pub(crate) fn settle(runtime: &Runtime) {
    runtime.block_on(async { tokio::time::sleep(Duration::from_secs(5)).await });
}
