//! Counts what a controller allocates: to load, at rest, for an event, and while it lists again.

use std::time::Duration;

use allocation_counter::measure;
use evenkeel_bench::answers::Answers;
use kube::Client;
use tokio::runtime::Runtime;

/// What was counted, per object.
pub(crate) struct Figures {
    /// Bytes that live once everything is loaded.
    pub(crate) live: f64,
    /// Allocations to load.
    pub(crate) load: f64,
    /// Allocations for an event that ends in a pass without work.
    pub(crate) event: f64,
    /// The most bytes that live during a relist, over those before.
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
    // Before the events: the list shows the objects as they were loaded, and older versions would show another store.
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

/// The bytes that live once everything is loaded, per object.
pub(crate) fn live<F: Future<Output = ()> + Send + 'static>(answers: &Answers, start: impl Fn(Client) -> F) -> f64 {
    let runtime = runtime();
    measure(|| begin(&runtime, answers, &start)).bytes_current as f64 / answers.objects() as f64
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

fn begin<F: Future<Output = ()> + Send + 'static>(runtime: &Runtime, answers: &Answers, start: impl Fn(Client) -> F) {
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(start(client));
    settle(runtime);
}

/// Long enough for everything that is due: time passes only when nothing else is left to do. Short beside the resyncs, which are not meant.
fn settle(runtime: &Runtime) {
    runtime.block_on(async { tokio::time::sleep(Duration::from_secs(5)).await });
}
