//! Instruction counts: `cargo bench -p evenkeel-bench --bench instructions`.
//!
//! Callgrind counts instructions; this program runs itself once under callgrind for each count. Each figure is a slope: the difference of
//! two runs that differ only in the number of events, objects or passes, so that the start, the rendering of the answers and the end cancel
//! out. Time is virtual. Fails if a figure is more than one percent above the committed one and that was counted with the same compiler;
//! with another compiler it prints a note.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

mod curves;
mod dependents;
mod parts;
mod program;
mod repairs;
mod reviews;
#[path = "../figures/rolled_out.rs"]
mod rolled_out;
mod valgrind;

use std::process::ExitCode;

use evenkeel_bench::report::{Report, overwrites};
use evenkeel_bench::sample::Sample;
use evenkeel_bench::table::{Aim, THREE, Table};

use crate::valgrind::Counts;

/// Events and objects of three operators.
const EVENTS: [(&str, &str, Aim); 6] = [
    ("change of the spec, with its write and the event of that", "spec", Aim::Shares(&[(2, 0.55)])),
    ("change of a label", "label", Aim::Shares(&[(1, 0.50)])),
    ("event to a pass without work", "event", Aim::Shares(&[(1, 0.30), (2, 1.00)])),
    ("event that counts for nothing", "drop", Aim::Shares(&[(2, 0.60)])),
    ("deletion", "delete", Aim::Shares(&[(2, 1.00)])),
    ("unchanged object at a restart", "load", Aim::Shares(&[(1, 0.35)])),
];
/// Evenkeel compared with the same chain and a closure that only looks the object up.
const OVERHEAD: [(&str, &str, Aim); 2] = [
    ("event, short-circuited", "event", Aim::Shares(&[(1, 1.02)])),
    ("event, computed and compared", "always", Aim::Shares(&[(1, 1.05)])),
];
/// Events of objects that a compact cache holds as text only, since it has one that is decoded.
const COMPACT: [(&str, &str); 2] =
    [("event to a pass without work", "event"), ("unchanged object at a restart", "load")];

const HELP: &str = "\
Counts the instructions of a controller under callgrind, hand-written in two ways and with evenkeel.

usage: cargo bench -p evenkeel-bench --bench instructions [-- events | dependents]

  events       prints the tables of events only, and compares nothing
  dependents   the same for the tables of dependents

B0 is the shape of kube's examples (Controller::new), B1 is tuned by hand (pruned, generation predicate, 16 at a time).
A figure that misses its target is marked MISSED. The exit code is 1 where one does that is not in tests/bench/pending.txt, and where
one is more than 1 % above the committed ones (runtime/src/guide/figures/instructions.md), which GENERATED=overwrite writes again.";

fn main() -> ExitCode {
    if let Some(words) = std::env::var_os(valgrind::WORDS) {
        program::run(words.to_str().expect("words"));
        return ExitCode::SUCCESS;
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let only = words.first().map(String::as_str);
    if words.len() > 1 || !matches!(only, None | Some("events" | "dependents")) {
        println!("{HELP}");
        return ExitCode::from(if words.iter().any(|word| word == "--help" || word == "-h") { 0 } else { 2 });
    }
    if !valgrind::is_there() {
        eprintln!("valgrind is not installed, so no instruction can be counted; on Debian: apt-get install valgrind");
        return ExitCode::from(2);
    }
    let mut report = Report::new("instructions.md");
    let counts = Counts::default();
    if let Some(only) = only {
        let tables = match only {
            "events" => vec![events(&counts), decoding(&counts), repairs(&counts), children(&counts)],
            _ => dependents(&counts).into(),
        };
        tables.iter().for_each(|table| report.add(table));
        return ExitCode::SUCCESS;
    }
    tables(&counts).iter().chain(&dependents(&counts)).for_each(|table| report.add(table));
    if overwrites() {
        curves::draw(&counts);
    }
    report.end()
}

/// The reviews of a write, and what is reviewed.
const REVIEWS: [(&str, &str); 3] =
    [("a new object", "review create"), ("a changed spec", "review update"), ("an unchanged spec", "review unchanged")];

fn events(counts: &Counts) -> Table {
    let mut events = Table::new("instructions of a release", "", THREE).about(&Sample::read("releases"));
    for (what, word, aim) in EVENTS {
        events.row(what, &counts.slopes(&["ours", "b0", "b1"].map(|who| format!("{word} {who}"))), aim);
    }
    events
}

/// A pass that repairs one of two children.
fn repairs(counts: &Counts) -> Table {
    repairs::prepare();
    let mut repairs = Table::new("instructions of a release with two children", "", THREE);
    let counted = counts.slopes(&["ours", "b0", "b1"].map(|who| format!("repair {who}")));
    let what = "change of one child by another client, with its repair and the event of that";
    repairs.row(what, &counted, Aim::Shares(&[(2, 1.00)]));
    repairs
}

/// The event of one child of an owner with this many of them.
fn children(counts: &Counts) -> Table {
    let mut children = Table::new(
        "instructions of a child",
        "of an owner with",
        &["10,000 children", "1,000 children", "100 children"],
    );
    let counted = counts.slopes(&[10_000, 1_000, 100].map(|count| format!("children{count} ours")));
    children.row("event with a change", &counted, Aim::Shares(&[(1, 1.05), (2, 1.05)]));
    children.about(&Sample::read("configmaps"))
}

/// The event beside the least that any controller does for it: the text without managedFields, decoded as its type.
fn decoding(counts: &Counts) -> Table {
    let mut table = Table::new(
        "instructions of a release",
        "and of decoding its text without managedFields",
        &["evenkeel", "decoding"],
    );
    let counted = counts.slopes(&["event ours", "decode lean"]);
    table.row("event to a pass without work", &counted, Aim::Shares(&[(1, 1.60)]));
    table
}

fn tables(counts: &Counts) -> [Table; 9] {
    let mut overhead =
        Table::new("instructions of a release", "with and without the pass", &["evenkeel", "a bare closure"]);
    for (what, word, aim) in OVERHEAD {
        overhead.row(what, &counts.slopes(&["ours", "bare"].map(|who| format!("{word} {who}"))), aim);
    }
    let mut watchers =
        Table::new("instructions of a release", "by a watcher and by a reconciler", &["a watcher", "a reconciler"]);
    let counted = counts.slopes(&["always watcher", "always ours"]);
    watchers.row("event, computed and compared", &counted, Aim::Shares(&[(1, 1.05)]));
    let mut compact =
        Table::new("instructions of a release", "in a compact cache and decoded", &["compact", "decoded"]);
    for (what, word) in COMPACT {
        compact.row(
            what,
            &counts.slopes(&["compact", "ours"].map(|who| format!("{word} {who}"))),
            Aim::Shares(&[(1, 2.00)]),
        );
    }
    let mut queue = Table::new("instructions of the queue", "", &["many", "few"]);
    let flat = || Aim::Shares(&[(1, 1.05)]);
    queue.row("pass, 4096 at a time; 16", &counts.slopes(&["queue 4096", "queue 16"]), flat());
    queue.row("pass, one at a time, of 64000 due; of 4000", &counts.slopes(&["due many", "due few"]), flat());
    let mut reviews = Table::new("instructions of a review of a release", "", &["evenkeel"]);
    for (what, words) in REVIEWS {
        reviews.row(what, &counts.slopes(&[words]), Aim::AtMost(250_000.0));
    }
    [events(counts), decoding(counts), overhead, watchers, compact, repairs(counts), children(counts), queue, reviews]
}

fn dependents(counts: &Counts) -> [Table; 2] {
    dependents::prepare();
    let mut changes = Table::new("instructions of a Deployment of a component", "", THREE);
    let counted = counts.slopes(&["ours", "b0", "b1"].map(|who| format!("chatter {who}")));
    changes.row("status that changes nothing", &counted, Aim::Shares(&[(2, 1.00)]));
    let mut table = Table::new("instructions of dependents", "", &["evenkeel"]);
    table.row("status that changes nothing", &counted[..1], Aim::AtMost(25_000.0));
    table.row("pass of 5000 dependents as wanted", &counts.slopes(&["converge ours"]), Aim::AtMost(1_500_000.0));
    [changes, table]
}
