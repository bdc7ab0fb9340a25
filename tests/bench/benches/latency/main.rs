//! Latency of an idle controller, from an event to the start of its pass, and to the write that follows a change, compared with the time
//! until the event is received, which is that of the machine:
//! `cargo bench -p evenkeel-bench --bench latency -- [OBJECTS]..`.
//!
//! The only timed figures: evenkeel and the baselines run alternately, five rounds each, on a separate thread; another thread sends an
//! event, waits for the pass or the write, and sends the next. They are reported and fail no run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{Work, b0, b1};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{Lab, plain, start};
use evenkeel_bench::report::Report;
use evenkeel_bench::sample::Sample;
use evenkeel_bench::table::{Aim, THREE, Table};
use http_body_util::BodyExt;
use kube::client::Body;
use kube::{Client, CustomResourceExt, Resource};
use tokio::sync::oneshot;

const ROUNDS: usize = 5;
const EVENTS: usize = 400;
/// The pause between two events, after which everything is idle.
const PAUSE: Duration = Duration::from_millis(4);
/// Without a write for this time, a controller has loaded everything.
const LOAD: Duration = Duration::from_secs(2);
/// Writes are measured among this many objects at most. B0 reconciles all objects at once after its first list, and kube's `Controller` polls
/// every running reconciliation at each wake-up. Among 100,000 objects, it had not ended after nine minutes.
const MOST_WRITTEN: usize = 10_000;
/// A baseline whose rounds differ by more than this is not meaningful.
const SPREAD: f64 = 0.30;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let mut report = Report::new("latency.md");
    for objects in if sizes.is_empty() { vec![1_000] } else { sizes } {
        measure(&mut report, objects.max(EVENTS));
    }
    report.record();
}

fn measure(report: &mut Report, objects: usize) {
    let answers = || Answers::render(&[&Sample::read("releases")], &Release::crd(), objects, 500, |work| work());
    let [ours, hand, received] =
        [passes_of_ours, passes_by_hand, received].map(|controller| move || controller(&answers()));
    let passes = rounds(objects, "passes", [&ours, &hand, &received]);
    let heads = &["evenkeel", "B0", "received"];
    report.add(&table("from an event to its pass", objects, heads, &passes, Aim::Shares(&[(1, 0.05)])));
    if objects <= MOST_WRITTEN {
        measure_writes(report, objects);
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(1).collect();
    let cpus = thread::available_parallelism().map_or(0, usize::from);
    report
        .note(&format!("{ROUNDS} rounds of {EVENTS} events, on {cpus} CPUs with a load of {}.", load.concat()), false);
}

fn measure_writes(report: &mut Report, objects: usize) {
    let answers = |sample: Sample| {
        Answers::render(&[&sample.unwritten().in_turn()], &Release::crd(), objects, 500, |work| work()).writable()
    };
    let ours = || writes(&answers(Sample::read("releases")), start::<plain>);
    let hand = || answers(Sample::by_hand());
    let b0 = || writes(&hand(), |client| b0(client, Work::default(), Arc::default()));
    let b1 = || writes(&hand(), |client| b1(client, Work::default(), Arc::default()));
    let writes = rounds(objects, "writes", [&ours, &b0, &b1]);
    // The goal is 250 µs, on a machine on which B1 takes 1,376.
    report.add(&table("from an event to its write", objects, THREE, &writes, Aim::Shares(&[(2, 0.18)])));
}

/// The percentiles of each round, for each controller. They run alternately.
fn rounds<const N: usize>(objects: usize, what: &str, controllers: [&dyn Fn() -> Vec<f64>; N]) -> [Vec<[f64; 2]>; N] {
    let mut all = [const { Vec::new() }; N];
    for round in 1..=ROUNDS {
        eprintln!("{objects} objects, {what}, round {round} ..");
        for (rounds, controller) in all.iter_mut().zip(controllers) {
            rounds.push(percentiles(controller()));
        }
    }
    all
}

/// The table of these rounds. The target is that of the median event in the median round.
fn table<const N: usize>(
    sort: &str,
    objects: usize,
    heads: &'static [&'static str],
    rounds: &[Vec<[f64; 2]>; N],
    aim: Aim,
) -> Table {
    let mut table = Table::new(sort, &format!("{objects} objects, µs"), heads);
    let mut aim = Some(aim);
    for (at, what) in ["half of them within", "99 of 100 within"].iter().enumerate() {
        let times = rounds.each_ref().map(|rounds| sorted(rounds.iter().map(|round| round[at]).collect()));
        let [few, median, most] = [0, ROUNDS / 2, ROUNDS - 1].map(|nth| times.each_ref().map(|times| times[nth]));
        table.row(&format!("{what}, best round"), &few, Aim::Shares(&[]));
        table.row(&format!("{what}, median round"), &median, aim.take().unwrap_or(Aim::Shares(&[])));
        table.row(&format!("{what}, worst round"), &most, Aim::Shares(&[]));
        if at == 0 && most[1] / few[1] > 1.0 + SPREAD {
            println!("the rounds of B0 are more than 30 % apart: the machine is busy, do it again");
        }
    }
    table
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The median and the 99th percentile.
fn percentiles(times: Vec<f64>) -> [f64; 2] {
    let times = sorted(times);
    [0.5, 0.99].map(|part| times[(times.len() as f64 * part) as usize])
}

fn passes_of_ours(answers: &Answers) -> Vec<f64> {
    let lab = Arc::<Lab>::default();
    let operator = Operator::new("bench").reconciler::<plain>(lab.clone());
    // So that there is a body whose start is visible.
    let operator = operator.without_short_circuit();
    let run = |client| async { operator.client(client).run_until(std::future::pending()).await.unwrap() };
    times(answers, run, || lab.bodies() >= answers.objects(), || lab.bodies())
}

fn passes_by_hand(answers: &Answers) -> Vec<f64> {
    let passes = Arc::<AtomicUsize>::default();
    let counted = passes.clone();
    let passes = || passes.load(Ordering::Relaxed);
    times(answers, |client| b0(client, Work::IDLE, counted), || passes() >= answers.objects(), passes)
}

/// Counts the events of a watch without reading them: what the machine takes to wake the thread.
fn received(answers: &Answers) -> Vec<f64> {
    let events = Arc::<AtomicUsize>::default();
    let counted = events.clone();
    let watch = async move |client: Client| {
        let url = format!("{}?watch=true", Release::url_path(&(), None));
        let mut body = client.send(http::Request::get(url).body(Body::empty()).unwrap()).await.unwrap().into_body();
        while let Some(Ok(_)) = body.frame().await {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    };
    times(answers, watch, || answers.is_watched(), || events.load(Ordering::Relaxed))
}

/// From the event of a changed spec to the write of the status.
fn writes<F: Future<Output = ()>>(answers: &Answers, controller: impl FnOnce(Client) -> F + Send) -> Vec<f64> {
    // No later than the last object is loaded: each of them takes some µs, and B0 writes each one.
    let loaded = || {
        let before = answers.writes();
        thread::sleep(LOAD);
        answers.is_watched() && answers.writes() == before
    };
    times(answers, controller, loaded, || answers.writes())
}

/// The microseconds from each event to the rise of the count that follows.
fn times<F: Future<Output = ()>>(
    answers: &Answers,
    controller: impl FnOnce(Client) -> F + Send,
    is_loaded: impl Fn() -> bool,
    count: impl Fn() -> usize,
) -> Vec<f64> {
    let (stop, stopped) = oneshot::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! { () = controller(answers.client()) => (), _ = stopped => () }
            });
        });
        while !is_loaded() {
            thread::sleep(PAUSE);
        }
        let times = (0..EVENTS).map(|nth| time(answers, nth, &count)).collect();
        drop(stop);
        times
    })
}

fn time(answers: &Answers, nth: usize, count: &impl Fn() -> usize) -> f64 {
    thread::sleep(PAUSE);
    let (before, start) = (count(), Instant::now());
    answers.change_one(0, nth);
    while count() == before {
        std::hint::spin_loop();
    }
    start.elapsed().as_secs_f64() * 1e6
}
