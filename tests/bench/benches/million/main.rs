//! One operator with a million objects: `cargo bench -p evenkeel-bench --bench million -- --help`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

#[path = "../figures/count.rs"]
#[allow(dead_code, reason = "the bench of memory uses all of it")]
mod count;

use std::process::ExitCode;
use std::sync::Arc;

use allocation_counter::measure;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{Lab, plain, start_compact};
use evenkeel_bench::report::Report;
use evenkeel_bench::resident::resident;
use evenkeel_bench::sample::Sample;
use evenkeel_bench::table::{Aim, Table};
use kube::CustomResourceExt;

use crate::count::{begin, runtime, settle};

const HELP: &str = "\
Counts the memory of an operator with a million unchanged objects in a compact cache, and the cost of an event among them.

usage: cargo bench -p evenkeel-bench --bench million -- [OBJECTS]

  OBJECTS   how many objects there are; 1000000 unless given

The server renders each object when it sends it, and its memory is not counted. A write would end the bench, since a restart among unchanged
objects must only list. A million objects take 1 GB of memory and some minutes. A figure that misses its target is marked MISSED, and the
exit code is 1 where tests/bench/pending.txt does not list it. GENERATED=overwrite writes runtime/src/guide/figures/million.md.";

/// Objects per page of a list: the default of kube.
const PAGE: usize = 500;
/// Events per count.
const EVENTS: usize = 1_000;
/// The number of decoded objects.
const DECODED: usize = 1_000;
/// The number of objects with which an event is compared.
const FEW: usize = 10_000;

/// The counts with this many objects.
struct Figures {
    /// Live bytes per object.
    live: f64,
    /// Allocations per event that ends in a pass without work.
    event: f64,
    /// The resident memory of this process in bytes.
    resident: f64,
    /// The bodies that ran.
    bodies: usize,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let objects = match words.iter().map(|word| word.parse()).collect::<Result<Vec<usize>, _>>().as_deref() {
        Ok([]) => 1_000_000,
        Ok([objects]) if *objects >= EVENTS => *objects,
        _ => {
            println!("{HELP}");
            return ExitCode::from(if words.iter().any(|word| word == "--help" || word == "-h") { 0 } else { 2 });
        }
    };
    let (few, many) = (count(FEW), count(objects));
    let mut report = Report::new("million.md");
    let mut table =
        Table::new(&format!("an operator with {objects} releases, {DECODED} of them decoded"), "", &["evenkeel"]);
    table.row("bytes per cached object", &[many.live], Aim::AtMost(1_024.0));
    table.row("GiB of resident memory", &[many.resident / (1 << 30) as f64], Aim::AtMost(2.0));
    table.row("bodies that ran at the start", &[many.bodies as f64], Aim::AtMost(0.0));
    let events = [many.event, few.event];
    report.add(&table.about(&Sample::read("releases").varied()));
    let mut flat = Table::new("an event to a pass without work", "among many objects and 10000", &["many", "few"]);
    flat.row("allocations", &events, Aim::Shares(&[(1, 1.05)]));
    report.add(&flat);
    report.end()
}

/// Starts an operator among this many objects, and changes some of them.
fn count(objects: usize) -> Figures {
    eprintln!("{objects} objects ..");
    let sample = Sample::read("releases").varied();
    let answers = Answers::lazy(sample, &Release::crd(), objects, PAGE, |work| allocation_counter::opt_out(work));
    let (runtime, lab) = (runtime(), Arc::new(Lab::default()));
    let load = measure(|| begin(&runtime, &answers, |client| start_compact::<plain>(client, lab.clone(), DECODED)));
    eprintln!("  {EVENTS} events ..");
    let bodies = lab.bodies();
    let event = measure(|| {
        answers.change_lazy(EVENTS);
        settle(&runtime);
    });
    Figures {
        live: load.bytes_current as f64 / objects as f64,
        event: event.count_total as f64 / EVENTS as f64,
        resident: resident(),
        bodies,
    }
}
