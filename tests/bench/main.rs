//! Figures against hand-written controllers: `cargo bench -p evenkeel-tests --bench figures -- --help`.
//!
//! Three programs watch the same kind on the same answers, which were rendered before: B0 as kube's examples show it, B1 tuned by hand,
//! and ours. What is counted is counted by an allocator, per thread, without the work of the server; nothing is timed.
#![allow(clippy::print_stdout, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

mod answers;
mod baseline;
mod count;
mod kind;
mod ours;
mod table;

use std::process::ExitCode;

use crate::answers::Answers;
use crate::count::{Figures, count};
use crate::kind::Sample;
use crate::table::{Aim, Table};

/// From how many objects on one page of a list is small beside all of them.
const RELIST: usize = 10_000;

const HELP: &str = "\
Counts bytes and allocations of a controller, hand-written in two ways and with evenkeel.

usage: cargo bench -p evenkeel-tests --bench figures -- [OBJECTS]..

  OBJECTS   how many objects there are; 1000 and 10000 unless given

B0 is the shape of kube's examples (Controller::new), B1 is tuned by hand (pruned, generation predicate, 16 at a time).
A figure that misses its target is marked MISSED, and the exit code is 1.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let sizes: Result<Vec<usize>, _> = words.iter().map(|word| word.parse()).collect();
    let sizes = match sizes {
        Ok(sizes) if sizes.is_empty() => vec![1_000, 10_000],
        Ok(sizes) if sizes.iter().all(|size| *size > 0) => sizes,
        _ => {
            println!("{HELP}");
            return ExitCode::from(if words.iter().any(|word| word == "--help" || word == "-h") { 0 } else { 2 });
        }
    };
    let sample = Sample::make();
    println!("{sample}");
    let missed: usize = sizes.iter().map(|size| figures(&sample, *size)).sum();
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the figures for so many objects, and returns how many miss their target.
fn figures(sample: &Sample, objects: usize) -> usize {
    eprintln!("{objects} objects: rendering the answers ..");
    let answers = Answers::render(sample, objects);
    let say = |what: &str| eprintln!("{objects} objects: {what} ..");
    say("B0");
    let b0 = count(&answers, baseline::b0);
    say("B1");
    let b1 = count(&answers, baseline::b1);
    say("ours");
    let ours = count(&answers, ours::start);
    let mut table = Table::new(objects);
    let row = |figure: fn(&Figures) -> f64| [figure(&ours), figure(&b0), figure(&b1)];
    table.row("bytes per cached object", row(|f| f.live), &Aim::Shares(0.30, 1.05));
    table.row("allocations per event", row(|f| f.event), &Aim::Shares(0.40, 1.00));
    table.row("allocations per object to load", row(|f| f.load), &Aim::Share(1.00));
    if objects >= RELIST {
        table.row("peak of a relist over steady", row(|f| f.peak), &Aim::AtMost(1.15));
    }
    table.print()
}
