//! Figures of memory: `cargo bench -p evenkeel-bench --bench figures -- --help`.
//!
//! Programs watch the same kind on the same pre-rendered answers: the naive baseline (B0), the tuned baseline (B1), and evenkeel. An
//! allocator counts per thread, without the work of the server; nothing is timed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

mod count;
mod dependents;
mod memory;
mod relisted;
mod rolled_out;
mod uncounted;

use std::process::ExitCode;

use evenkeel_bench::draw::{Axis, Line, chart, keep};
use evenkeel_bench::report::{DEPENDENTS, MEMORY, Report, overwrites};

const HELP: &str = "\
Counts bytes and allocations of a controller, hand-written in two ways and with evenkeel.

usage: cargo bench -p evenkeel-bench --bench figures -- [OBJECTS]..

  OBJECTS   how many objects there are; 1000 and 10000 unless given, and 100000 where the committed figures are written

B0 is the shape of kube's examples (Controller::new), B1 is tuned by hand (pruned, generation predicate, 16 at a time).
A figure that misses its target is marked MISSED. The exit code is 1 where one does that is not in tests/bench/pending.txt, and where
one is more than 1 % above the committed ones (runtime/src/guide/figures/memory.md), which GENERATED=overwrite writes again.";

fn main() -> ExitCode {
    if let Some(who) = std::env::var_os(relisted::WHO) {
        relisted::run(who.to_str().expect("a name"));
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let sizes: Result<Vec<usize>, _> = words.iter().map(|word| word.parse()).collect();
    let sizes = match sizes {
        Ok(sizes) if sizes.is_empty() && overwrites() => vec![1_000, 10_000, 100_000],
        Ok(sizes) if sizes.is_empty() => vec![1_000, 10_000],
        Ok(sizes) if sizes.iter().all(|size| *size > 0) => sizes,
        _ => {
            println!("{HELP}");
            return ExitCode::from(if words.iter().any(|word| word == "--help" || word == "-h") { 0 } else { 2 });
        }
    };
    let mut report = Report::new(MEMORY);
    sizes.iter().for_each(|size| memory::tables(&mut report, *size));
    draw(&report, &sizes);
    relisted::note(&mut report);
    let mut dependents = Report::new(DEPENDENTS);
    dependents::tables(&mut dependents, &dependents::SIZES);
    let [memory, dependents] = [report.end(), dependents.end()];
    if memory == ExitCode::SUCCESS { dependents } else { memory }
}

/// Draws bytes by number of objects, together with one measurement of Go's controller-runtime on an object of the same shape.
fn draw(report: &Report, sizes: &[usize]) {
    let line = |name: &str, at: usize, row: fn(f64, f64) -> f64| {
        let column = report.column(at);
        let figure = |size: &usize, what: &str| column.get(&format!("releases, {size} objects / {what}")).copied();
        let point = |size: &usize| {
            let (live, peak) = (figure(size, "bytes per cached object"), figure(size, "peak of a relist over steady"));
            Some((*size as f64, row(live?, peak.unwrap_or(f64::NAN))))
        };
        Line::new(name, sizes.iter().filter_map(point).filter(|point| point.1.is_finite()).collect())
    };
    let names = ["evenkeel", "B0, kube's examples", "B1, tuned by hand"];
    let mut lines: Vec<Line> = names.iter().enumerate().map(|(at, name)| line(name, at, |live, _| live)).collect();
    lines.push(line("evenkeel, relist peak", 0, |live, peak| live * peak));
    lines.push(line("B0, relist peak", 1, |live, peak| live * peak));
    lines.push(Line::anchor("Go 0.24.1: full, stripped", vec![(100_000.0, 4_990.0), (100_000.0, 3_007.0)]));
    let (x, y) = (Axis::log("objects"), Axis::log("bytes for each object"));
    keep("memory", &chart("Memory of cached objects", &x, &y, &lines));
}
