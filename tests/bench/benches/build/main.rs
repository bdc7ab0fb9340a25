//! The build cost (D1): `cargo bench -p evenkeel-bench --bench build`.
//!
//! The example `hello` and its hand-written counterpart `plain` as programs of a separate project, with the features that each needs, and
//! both with 11 copies of their kind. A third program has replicas. `EVENKEEL_KINDS=100` adds programs with 100 kinds, which takes half an hour more.
//!
//! Crates and bytes are gates: the bench fails if one misses its target, or grew by more than 1 %. Seconds are reported only. To see a gate
//! fail, add `"cli"` to the features in `project.rs`: the crates and the size miss their targets.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench ends at the first surprise")]

mod programs;
mod project;

use std::process::ExitCode;

use evenkeel_bench::report::Report;
use evenkeel_bench::table::{Aim, Table};

use project::{Built, Project};

const ROUNDS: usize = 15;
/// Evenkeel and hand-written.
const NAMES: [&str; 2] = ["ours", "hand"];
const HEADS: &[&str] = &["evenkeel", "hand-written"];

fn main() -> ExitCode {
    let kinds: &[usize] =
        if std::env::var("EVENKEEL_KINDS").is_ok_and(|kinds| kinds == "100") { &[1, 11, 100] } else { &[1, 11] };
    let project = Project::make(kinds);
    let mut report = Report::new("build.md");
    let mut table = Table::new("a build of `hello`", "", HEADS);
    let mut seconds = Table::new("processor time of a build, s", "", HEADS);
    table.row("lines of code", &NAMES.map(|name| project.lines(name)), Aim::Shares(&[(1, 0.40)]));
    let crates = NAMES.map(|name| project.crates(name));
    table.row("crates", &crates.each_ref().map(|crates| crates.len() as f64), Aim::Shares(&[]));
    let further: Vec<&str> = crates[0].difference(&crates[1]).map(String::as_str).collect();
    table.row(
        "crates that only this program needs",
        &[further.len() as f64, crates[1].difference(&crates[0]).count() as f64],
        Aim::AtMost(5.0),
    );
    let smallest = sizes(&project, kinds, &mut table, &mut seconds);
    report.add(&table);
    let mut parts = Table::new("what a call adds to `hello`", "", &["bytes"]);
    let more = project.optimised("replicas", 1).bytes - smallest;
    parts.row("`.replicas()`", &[more], Aim::AtMost(150.0 * 1024.0));
    report.add(&parts);
    rebuilds(&project, &mut seconds);
    report.note(&format!("Crates that only evenkeel needs: {}.", further.join(", ")), false);
    report.add_times(&seconds);
    report.end()
}

/// The size of the programs, and that of each further kind. Returns the size of evenkeel's program with one kind.
fn sizes(project: &Project, kinds: &[usize], table: &mut Table, seconds: &mut Table) -> f64 {
    let mut before: Option<(usize, [Built; 2])> = None;
    let mut smallest = 0.0;
    for &kinds in kinds {
        let built = NAMES.map(|name| project.optimised(name, kinds));
        match &before {
            None => {
                let bytes = built.each_ref().map(|built| built.bytes);
                smallest = bytes[0];
                table.row("bytes of the optimised program, stripped", &bytes, Aim::Shares(&[(1, 1.15)]));
                let spent = built.each_ref().map(|built| built.seconds);
                seconds.row("optimised build of the package with one kind", &spent, Aim::Shares(&[]));
            }
            Some((fewer, less)) => {
                let each =
                    |of: fn(&Built) -> f64| [0, 1].map(|at| (of(&built[at]) - of(&less[at])) / (kinds - fewer) as f64);
                let row = format!("bytes of each further kind, {fewer} to {kinds} kinds");
                table.row(&row, &each(|built| built.bytes), Aim::Shares(&[(1, 1.0)]));
                let row = format!("optimised build of each further kind, {fewer} to {kinds} kinds");
                seconds.row(&row, &each(|built| built.seconds), Aim::Shares(&[]));
            }
        }
        before = Some((kinds, built));
    }
    smallest
}

/// The alternating rebuilds. Only the median has a target.
fn rebuilds(project: &Project, seconds: &mut Table) {
    const MEDIAN: &[(usize, f64)] = &[(1, 1.15)];
    let mut all = [const { Vec::new() }; 2];
    for round in 1..=ROUNDS {
        eprintln!("rebuild, round {round} ..");
        for (name, seconds) in NAMES.iter().zip(&mut all) {
            seconds.push(project.rebuild(name));
        }
    }
    all.iter_mut().for_each(|rounds| rounds.sort_by(f64::total_cmp));
    let rounds = [("best", 0, &[][..]), ("median", ROUNDS / 2, MEDIAN), ("worst", ROUNDS - 1, &[])];
    for (round, nth, shares) in rounds {
        let row = format!("rebuild without optimisation, {round} round");
        seconds.row(&row, &all.each_ref().map(|rounds| rounds[nth]), Aim::Shares(shares));
    }
}
