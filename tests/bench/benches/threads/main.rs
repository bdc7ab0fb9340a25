//! Throughput with 1, 2 and 4 worker threads: `cargo bench -p evenkeel-bench --bench threads -- [OBJECTS]`.
//!
//! All objects change at once, and the time until the last pass counts. evenkeel and B0 run alternately. It is reported and fails no run, since
//! seconds depend on the machine.
#![allow(clippy::print_stderr, reason = "progress")]
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use evenkeel::Operator;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{Work, b0};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{Lab, plain};
use evenkeel_bench::report::Report;
use evenkeel_bench::sample::Sample;
use evenkeel_bench::table::{Aim, Table};
use kube::{Client, CustomResourceExt};
use tokio::sync::oneshot;

const ROUNDS: usize = 5;
const WORKERS: [usize; 3] = [1, 2, 4];
/// Rounds of a computation that takes about 60 µs.
const COMPUTED: u32 = 100_000;

fn main() {
    let objects = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10_000);
    let mut report = Report::new("threads.md");
    for (what, rounds) in [("", 0), (" whose body computes", COMPUTED)] {
        let title = format!("an event to the end of its pass{what}");
        let mut table = Table::new(&title, &format!("{objects} objects, µs of time per event"), &["evenkeel", "B0"]);
        for workers in WORKERS {
            let (mut ours, mut hand) = (Vec::new(), Vec::new());
            for round in 1..=ROUNDS {
                eprintln!("{title}, {workers} workers, round {round} ..");
                let answers =
                    Answers::render(&[&Sample::read("releases")], &Release::crd(), objects, 500, |work| work());
                ours.push(evenkeel(&answers, workers, rounds));
                hand.push(by_hand(&answers, workers, rounds));
            }
            let name = format!("{workers} worker{}", if workers == 1 { "" } else { "s" });
            table.row(&name, &[median(ours), median(hand)], Aim::Shares(&[]));
        }
        report.add(&table);
    }
    let cpus = thread::available_parallelism().map_or(0, usize::from);
    report.note(&format!("The median of {ROUNDS} rounds, on {cpus} CPUs. One more thread sends the events."), false);
    report.record();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn evenkeel(answers: &Answers, workers: usize, rounds: u32) -> f64 {
    let lab = Arc::new(Lab { computes: rounds, ..Lab::default() });
    // So that there is a body that counts.
    let operator = Operator::new("bench").reconciler::<plain>(lab.clone()).without_short_circuit();
    let run = |client| async { operator.client(client).run_until(std::future::pending()).await.unwrap() };
    time(answers, workers, run, || lab.bodies())
}

fn by_hand(answers: &Answers, workers: usize, rounds: u32) -> f64 {
    let passes = Arc::<AtomicUsize>::default();
    let counted = passes.clone();
    let work = Work { computes: rounds, ..Work::IDLE };
    time(answers, workers, |client| b0(client, work, counted), || passes.load(Ordering::Relaxed))
}

/// The microseconds per event, when all objects change at once.
fn time<F: Future<Output = ()> + Send + 'static>(
    answers: &Answers,
    workers: usize,
    controller: impl FnOnce(Client) -> F,
    passes: impl Fn() -> usize,
) -> f64 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    // A client needs a runtime.
    let entered = runtime.enter();
    let running = controller(answers.client());
    drop(entered);
    runtime.spawn(async move {
        tokio::select! { () = running => (), _ = stopped => () }
    });
    let reaches = |count: usize| {
        while passes() < count {
            thread::sleep(Duration::from_micros(200));
        }
    };
    reaches(answers.objects());
    // What the start has left to do.
    thread::sleep(Duration::from_millis(50));
    let (before, start) = (passes(), Instant::now());
    answers.change(0, answers.objects());
    reaches(before + answers.objects());
    let took = start.elapsed();
    drop(stop);
    took.as_secs_f64() * 1e6 / answers.objects() as f64
}
