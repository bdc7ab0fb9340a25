//! Figures of memory: `cargo bench -p evenkeel-bench --bench figures -- --help`.
//!
//! Programs watch the same kind on the same pre-rendered answers: the naive baseline (B0), the tuned baseline (B1), and evenkeel. An
//! allocator counts per thread, without the work of the server; nothing is timed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

mod count;

use std::process::ExitCode;
use std::sync::Arc;

use evenkeel::Reconciler;
use evenkeel_bench::answers::{Answers, Aside};
use evenkeel_bench::draw::{Axis, Line, chart, keep};
use evenkeel_bench::hand::{b0_of, b1_of, metadata_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{self, Lab, start};
use evenkeel_bench::report::{Report, overwrites};
use evenkeel_bench::sample::Sample;
use evenkeel_bench::shapes::{self, Credential, Instance};
use evenkeel_bench::table::{Aim, THREE, Table};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::NamespaceResourceScope;
use kube::{CustomResourceExt, Resource};

use crate::count::{Figures, count, live};

/// From this number of objects on, a page of a list and the fixed memory of a controller are negligible.
const RELIST: usize = 10_000;
/// Objects per page of a list: the default of kube.
const PAGE: usize = 500;

/// Memory of kube 5.0 per object, in bytes per byte of JSON, measured separately: for `managedFields`, and for everything else. A baseline
/// far from it would not be realistic.
const KNOWN: [f64; 2] = [7.8, 2.2];
/// Bytes per object in the predicate of B1.
const PREDICATE: f64 = 430.0;
/// The maximum deviation of a baseline.
const TOLERANCE: f64 = 0.25;

const HELP: &str = "\
Counts bytes and allocations of a controller, hand-written in two ways and with evenkeel.

usage: cargo bench -p evenkeel-bench --bench figures -- [OBJECTS]..

  OBJECTS   how many objects there are; 1000 and 10000 unless given, and 100000 where the committed figures are written

B0 is the shape of kube's examples (Controller::new), B1 is tuned by hand (pruned, generation predicate, 16 at a time).
A figure that misses its target is marked MISSED. The exit code is 1 where one does that is not in tests/bench/pending.txt, and where
one is more than 1 % above the committed ones (runtime/src/guide/figures/memory.md), which GENERATED=overwrite writes again.";

const ASIDE: Aside = |work| allocation_counter::opt_out(work);

fn main() -> ExitCode {
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
    let mut report = Report::new("memory.md");
    sizes.iter().for_each(|size| tables(&mut report, *size));
    draw(&report, &sizes);
    report.end()
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

/// Adds the tables for this number of objects.
fn tables(report: &mut Report, objects: usize) {
    eprintln!("{objects} objects ..");
    let [releases, instances, credentials] = ["releases", "instances", "credentials"].map(Sample::read);
    of::<Release, ours::plain>(report, &releases, objects);
    of::<Instance, shapes::instances>(report, &instances, objects);
    of::<Credential, shapes::credentials>(report, &credentials, objects);
    report.add(&children(&releases, objects));
}

/// Adds the table of one kind.
fn of<K, R>(report: &mut Report, sample: &Sample, objects: usize)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + CustomResourceExt,
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + Sync + 'static,
    R: Reconciler<Object = K, Deps = Arc<Lab>>,
{
    let answers = || Answers::render(&[sample], &K::crd(), objects, PAGE, ASIDE);
    let figures = [count(&answers(), start::<R>), count(&answers(), b0_of::<K>), count(&answers(), b1_of::<K>)];
    let row = |figure: fn(&Figures) -> f64| figures.each_ref().map(figure);
    let mut table = Table::new(sample.plural, &format!("{objects} objects"), THREE).about(sample);
    // The saving against B0 depends on the share of managedFields; the target is for 43 %.
    let all = sample.plural == "releases";
    let aim = if all { Aim::Shares(&[(1, 0.30), (2, 1.05)]) } else { Aim::Shares(&[(2, 1.05)]) };
    table.row("bytes per cached object", &row(|f| f.live), aim);
    table.row("allocations per object to load", &row(|f| f.load), Aim::Shares(&[(2, 1.00)]));
    if all {
        table.row("allocations per event", &row(|f| f.event), Aim::Shares(&[(1, 0.40), (2, 1.00)]));
    }
    if all && objects >= RELIST {
        table.row("peak of a relist over steady", &row(|f| f.peak), Aim::AtMost(1.15));
    }
    report.add(&table);
    if all && objects >= RELIST {
        straw(report, sample, &figures);
    }
}

/// Compares the baselines with their known memory.
fn straw(report: &mut Report, sample: &Sample, [_, b0, b1]: &[Figures; 3]) {
    let (all, fields) = sample.sizes();
    let (fields, rest) = (fields as f64, (all - fields) as f64);
    let mut far = |name: &str, found: f64, known: f64| {
        let off = found / known - 1.0;
        let missed = off.abs() > TOLERANCE;
        let mark = if missed { " **MISSED**" } else { "" };
        let (off, most) = (off * 100.0, TOLERANCE * 100.0);
        report.note(&format!("{name} is known to keep {known:.0} bytes of such an object: {off:+.1} %, at most {most:.0} % off.{mark}"), missed);
    };
    far("B0", b0.live, fields * KNOWN[0] + rest * KNOWN[1]);
    far("B1", b1.live, rest * KNOWN[1] + PREDICATE);
}

/// The memory of an owned child: for evenkeel with children minus without; for the baselines as received and pruned.
fn children(releases: &Sample, objects: usize) -> Table {
    let (releases, child) = (&releases.clone().distinct(), Sample::read("configmaps").distinct());
    let crd = Release::crd();
    let both = Answers::render(&[releases, &child], &crd, objects, PAGE, ASIDE).writable();
    let alone = Answers::render(&[releases], &crd, objects, PAGE, ASIDE).writable();
    let ours = live(&both, start::<ours::owner>) - live(&alone, start::<ours::owner>);
    let hand = |pruned| live(&both, move |client| metadata_of::<ConfigMap>(client, pruned));
    let mut table = Table::new("children", &format!("{objects} objects"), THREE).about(&child);
    table.row("bytes per owned child", &[ours, hand(false), hand(true)], Aim::Shares(&[(1, 0.20)]));
    table
}
