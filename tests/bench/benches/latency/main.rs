//! Latency from an event to the start of its pass, on an idle controller: `cargo bench -p evenkeel-bench --bench latency -- [OBJECTS]..`.
//!
//! The only timed figure, therefore a ratio: evenkeel and B0 run alternately, five rounds each, on a separate thread; another thread sends
//! an event, waits for the pass, and sends the next. It is reported and fails no run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
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
const EVENTS: usize = 400;
/// The pause between two events, after which everything is idle.
const PAUSE: Duration = Duration::from_millis(4);
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
    let (mut ours, mut hand) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        eprintln!("{objects} objects, round {round} ..");
        ours.push(percentiles(evenkeel(&answers())));
        hand.push(percentiles(by_hand(&answers())));
    }
    let mut table = Table::new("from an event to its pass", &format!("{objects} objects, µs"), &["evenkeel", "B0"]);
    for (at, what) in ["half of them within", "99 of 100 within"].iter().enumerate() {
        let pick = |rounds: &[[f64; 2]]| sorted(rounds.iter().map(|round| round[at]).collect());
        let (ours, hand) = (pick(&ours), pick(&hand));
        let [few, median, most] = [0, ROUNDS / 2, ROUNDS - 1].map(|nth| [ours[nth], hand[nth]]);
        table.row(&format!("{what}, best round"), &few, Aim::Shares(&[]));
        table.row(&format!("{what}, median round"), &median, Aim::Shares(if at == 0 { &[(1, 0.05)] } else { &[] }));
        table.row(&format!("{what}, worst round"), &most, Aim::Shares(&[]));
        if at == 0 && most[1] / few[1] > 1.0 + SPREAD {
            println!("the rounds of B0 are more than 30 % apart: the machine is busy, do it again");
        }
    }
    report.add(&table);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(1).collect();
    let cpus = thread::available_parallelism().map_or(0, usize::from);
    report
        .note(&format!("{ROUNDS} rounds of {EVENTS} events, on {cpus} CPUs with a load of {}.", load.concat()), false);
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

fn evenkeel(answers: &Answers) -> Vec<f64> {
    let lab = Arc::<Lab>::default();
    let operator = Operator::new("bench").reconciler::<plain>(lab.clone());
    // So that there is a body whose start is visible.
    let operator = operator.without_short_circuit();
    let run = |client| async { operator.client(client).run_until(std::future::pending()).await.unwrap() };
    times(answers, run, || lab.bodies())
}

fn by_hand(answers: &Answers) -> Vec<f64> {
    let passes = Arc::<AtomicUsize>::default();
    let counted = passes.clone();
    times(answers, |client| b0(client, Work::IDLE, counted), || passes.load(Ordering::Relaxed))
}

/// The microseconds from each event to the start of its pass.
fn times<F: Future<Output = ()>>(
    answers: &Answers,
    controller: impl FnOnce(Client) -> F + Send,
    passes: impl Fn() -> usize,
) -> Vec<f64> {
    let (stop, stopped) = oneshot::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! { () = controller(answers.client()) => (), _ = stopped => () }
            });
        });
        while passes() < answers.objects() {
            thread::sleep(PAUSE);
        }
        let times = (0..EVENTS).map(|nth| time(answers, nth, &passes)).collect();
        drop(stop);
        times
    })
}

fn time(answers: &Answers, nth: usize, passes: &impl Fn() -> usize) -> f64 {
    thread::sleep(PAUSE);
    let (before, start) = (passes(), Instant::now());
    answers.change_one(0, nth);
    while passes() == before {
        std::hint::spin_loop();
    }
    start.elapsed().as_secs_f64() * 1e6
}
