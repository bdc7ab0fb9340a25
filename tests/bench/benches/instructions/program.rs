//! The program under callgrind: one controller on the answers, with a number of events, objects or passes.

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::__test_hooks::requeued;
use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{HandRelease, Work, b0, b0_of, b1, b1_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{Lab, owner, plain, start, start_compact, watched};
use evenkeel_bench::sample::Sample;
use kube::{Client, CustomResourceExt};
use tokio::runtime::Runtime;

use crate::{dependents, repairs, reviews};

/// The maximum number of objects, and the size of a page: a size is a number of whole pages.
const OBJECTS: usize = 400;
const PAGE: usize = 100;

/// The numbers of the two runs of a slope.
pub(crate) fn sizes(words: &str) -> [usize; 2] {
    match words {
        "due few" => [1_000, 4_000],
        "due many" => [48_000, 64_000],
        // The start loads 5,000 objects and differs by a million instructions from run to run: this is 0.4 % of a pass among so many.
        "converge ours" => [20, 420],
        _ if words.starts_with("queue") => [8_192, 16_384],
        "children100 ours" => [25, 100],
        _ if words.starts_with("repair") => [repairs::RELEASES / 4, repairs::RELEASES],
        "event compact" => [PAGE, 2 * PAGE],
        _ => number_in(words, "flight").map_or([PAGE, OBJECTS], |flight| {
            let few = flight.next_multiple_of(PAGE).max(2 * PAGE);
            [few, 2 * few]
        }),
    }
}

/// The number after a word: 16 for `flight16`.
fn number_in(words: &str, before: &str) -> Option<usize> {
    words.split(' ').next()?.strip_prefix(before)?.parse().ok()
}

/// Runs what the words select: the count, the controller, the number.
pub(crate) fn run(words: &str) {
    let [what, who, size] = words.split(' ').collect::<Vec<_>>()[..] else { panic!("three words: {words}") };
    let size: usize = size.parse().unwrap();
    match what {
        "queue" => passes(size, who.parse().unwrap()),
        "due" => passes(size, 1),
        "load" => watch(what, who, size, 0),
        "decode" => decode(size),
        "chatter" => dependents::chatter(who, size),
        "converge" => dependents::converge(size),
        "repair" => repairs::repair(who, size),
        _ if what.starts_with("children") => children(what, size),
        "review" => reviews::reviews(who, size),
        _ if what.starts_with("flight") => watch(what, who, size, 0),
        _ => watch(what, who, OBJECTS, size),
    }
    // The end is not part of any figure.
    std::process::exit(0);
}

/// Runs this many passes, all due at once, with this concurrency.
fn passes(keys: usize, concurrency: usize) {
    let concurrency = NonZeroUsize::new(concurrency).unwrap();
    runtime().block_on(requeued(keys, concurrency, Duration::from_secs(3600), Duration::from_secs(600)));
}

/// Decodes the text of a release without `managedFields` this many times.
fn decode(times: usize) {
    let text = Sample::read("releases").lean();
    for _ in 0..times {
        std::hint::black_box(serde_json::from_slice::<Release>(std::hint::black_box(text.as_bytes())).unwrap());
    }
}

/// The watched objects.
pub(crate) fn sample(what: &str, who: &str) -> Sample {
    let sample = match who {
        "watcher" => Sample::watched(),
        "b0" | "b1" => Sample::by_hand(),
        _ => Sample::read("releases"),
    };
    match (number_in(what, "managers"), what) {
        (Some(managers), _) => sample.managers(managers),
        (None, "drop") => sample.touched(),
        (None, "spec") => sample.unwritten(),
        (None, "label") => sample.labelled(),
        (None, "delete") => sample.deleted(),
        (None, _) => sample,
    }
}

/// Loads this many objects, then changes some of them.
fn watch(what: &str, who: &str, objects: usize, changed: usize) {
    let most = sizes(what)[1];
    let answers =
        Answers::render(&[&sample(what, who)], &Release::crd(), most, PAGE, |work| work()).pages(objects / PAGE);
    // At a restart and after each change B0 writes its results.
    let writes = what == "spec" || who == "b0" && ["load", "label"].contains(&what);
    let answers = if writes { answers.writable() } else { answers };
    let runtime = runtime();
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(controller(what, who, client));
    settle(&runtime);
    answers.change(0, changed);
    settle(&runtime);
}

/// Loads one object that owns as many children as the word says, then changes some of them.
fn children(what: &str, changed: usize) {
    let count = number_in(what, "children").unwrap();
    let samples = [Sample::read("releases").alone(), Sample::read("configmaps").siblings()];
    let answers = Answers::render(&samples.each_ref(), &Release::crd(), count, PAGE, |work| work()).writable();
    let runtime = runtime();
    let client = runtime.block_on(async { answers.client() });
    runtime.spawn(start::<owner>(client));
    settle(&runtime);
    answers.change(1, changed);
    settle(&runtime);
}

/// The number of decoded objects: at a start one; then those that change at the same time, which are the first ones, and so not decoded.
fn decoded(what: &str) -> usize {
    if what == "load" { 1 } else { 2 * PAGE }
}

/// The watching controller.
fn controller(what: &str, who: &str, client: Client) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    let flight = number_in(what, "flight");
    match (who, what) {
        ("watcher", _) => Box::pin(watcher(client)),
        ("ours" | "bare", _) => Box::pin(ours(client, what == "always" || flight.is_some(), who == "bare", flight)),
        ("compact", _) => Box::pin(start_compact::<plain>(client, Arc::default(), decoded(what))),
        ("b0", "load" | "spec" | "label") => Box::pin(b0(client, Work::default(), Arc::default())),
        ("b1", "spec" | "label") => Box::pin(b1(client, Work::default(), Arc::default())),
        ("b0", _) => match flight {
            Some(flight) => {
                Box::pin(b0(client, Work { naps: true, limit: flight as u16, ..Work::IDLE }, Arc::default()))
            }
            None => Box::pin(b0_of::<HandRelease>(client)),
        },
        ("b1", _) => Box::pin(b1_of::<HandRelease>(client)),
        _ => panic!("nobody is called {who}"),
    }
}

/// Evenkeel; optionally without the short-circuit, without the pass (a closure that looks the object up), or with a number of passes in
/// flight.
async fn ours(client: Client, always: bool, bare: bool, flight: Option<usize>) {
    let lab = Lab { naps: flight.is_some(), ..Lab::default() };
    let operator = Operator::new("bench")
        .client(client)
        .reconciler::<plain>(Arc::new(lab))
        .concurrency(NonZeroUsize::new(flight.unwrap_or(16)).expect("one at least"));
    let operator = if always { operator.without_short_circuit() } else { operator };
    let operator = if bare { operator.without_pass() } else { operator };
    operator.run_until(std::future::pending()).await.unwrap();
}

/// The same as a watcher, without the short-circuit.
async fn watcher(client: Client) {
    let operator = Operator::new("bench").client(client).watcher::<watched>(Arc::new(Lab::default()));
    operator.without_short_circuit().run_until(std::future::pending()).await.unwrap();
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Waits for everything that is due: time only passes when there is no other work.
pub(crate) fn settle(runtime: &Runtime) {
    runtime.block_on(async { tokio::time::sleep(Duration::from_secs(5)).await });
}
