//! Figures of memory: `cargo bench -p evenkeel-bench --bench figures -- --help`.
//!
//! Programs watch the same kind on the same answers, which were rendered before: B0 as kube's examples show it, B1 tuned by hand, and
//! ours. What is counted is counted by an allocator, per thread, without the work of the server; nothing is timed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench ends at the first surprise")]

mod count;

use std::process::ExitCode;
use std::sync::Arc;

use evenkeel::Reconciler;
use evenkeel_bench::answers::{Answers, Aside};
use evenkeel_bench::hand::{b0_of, b1_of, metadata_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{self, Lab, start};
use evenkeel_bench::sample::Sample;
use evenkeel_bench::shapes::{self, Credential, Instance};
use evenkeel_bench::table::{Aim, Table};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::NamespaceResourceScope;
use kube::{CustomResourceExt, Resource};

use crate::count::{Figures, count, live};

/// From how many objects on a page of a list is small beside all of them, and what a controller keeps for itself, too.
const RELIST: usize = 10_000;
/// How many objects a page of a list has: what kube asks for.
const PAGE: usize = 500;

/// What kube 5.0 keeps of an object, in bytes for each byte of its JSON, as was measured apart from this bench: of `managedFields`, and of
/// all else. A baseline that is far from it would be a straw man.
const KNOWN: [f64; 2] = [7.8, 2.2];
/// What the predicate of B1 keeps for each object.
const PREDICATE: f64 = 430.0;
/// How far a baseline may be from that.
const TOLERANCE: f64 = 0.25;

const HELP: &str = "\
Counts bytes and allocations of a controller, hand-written in two ways and with evenkeel.

usage: cargo bench -p evenkeel-bench --bench figures -- [OBJECTS]..

  OBJECTS   how many objects there are; 1000 and 10000 unless given

B0 is the shape of kube's examples (Controller::new), B1 is tuned by hand (pruned, generation predicate, 16 at a time).
A figure that misses its target is marked MISSED, and the exit code is 1.";

const ASIDE: Aside = |work| allocation_counter::opt_out(work);

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
    let missed: usize = sizes.iter().map(|size| tables(*size)).sum();
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the tables for so many objects, and returns how many figures miss their target.
fn tables(objects: usize) -> usize {
    eprintln!("{objects} objects ..");
    let [releases, instances, credentials] = ["releases", "instances", "credentials"].map(Sample::read);
    let mut missed = of::<Release, ours::plain>(&releases, objects, true);
    missed += of::<Instance, shapes::instances>(&instances, objects, false);
    missed += of::<Credential, shapes::credentials>(&credentials, objects, false);
    missed + children(&releases, objects)
}

/// The table of one kind.
fn of<K, R>(sample: &Sample, objects: usize, all: bool) -> usize
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + CustomResourceExt,
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + Sync + 'static,
    R: Reconciler<Object = K, Deps = Arc<Lab>>,
{
    let answers = || Answers::render(&[sample], &K::crd(), objects, PAGE, ASIDE);
    let figures = [count(&answers(), start::<R>), count(&answers(), b0_of::<K>), count(&answers(), b1_of::<K>)];
    let row = |figure: fn(&Figures) -> f64| figures.each_ref().map(figure);
    println!("\n{sample}");
    let mut table = Table::new(&format!("{objects} {}", sample.plural));
    // How much is saved against B0 depends on the share of managedFields; the target is for 43 %.
    let aim = match sample.plural {
        "releases" => Aim::Shares(0.30, 1.05),
        _ => Aim::Share(1.05),
    };
    table.row("bytes per cached object", row(|f| f.live), &aim);
    table.row("allocations per object to load", row(|f| f.load), &Aim::Share(1.00));
    if all {
        table.row("allocations per event", row(|f| f.event), &Aim::Shares(0.40, 1.00));
    }
    if all && objects >= RELIST {
        table.row("peak of a relist over steady", row(|f| f.peak), &Aim::AtMost(1.15));
    }
    let missed = table.print();
    if all && objects >= RELIST { missed + straw(sample, &figures) } else { missed }
}

/// How many of the baselines are not what they are known to be.
fn straw(sample: &Sample, [_, b0, b1]: &[Figures; 3]) -> usize {
    let (all, fields) = sample.sizes();
    let (fields, rest) = (fields as f64, (all - fields) as f64);
    let far = |name: &str, found: f64, known: f64| {
        let off = found / known - 1.0;
        let mark = if off.abs() > TOLERANCE { "  MISSED" } else { "" };
        println!(
            "{name} is known to keep {known:.0} bytes of such an object: {:+.1} %, at most {:.0} % off{mark}",
            off * 100.0,
            TOLERANCE * 100.0
        );
        usize::from(!mark.is_empty())
    };
    let pruned = rest * KNOWN[1] + PREDICATE;
    far("B0", b0.live, fields * KNOWN[0] + rest * KNOWN[1]) + far("B1", b1.live, pruned)
}

/// What an owned child costs: of ours with children less without them; of the baselines as received and pruned.
fn children(releases: &Sample, objects: usize) -> usize {
    let (releases, child) = (&releases.clone().distinct(), Sample::read("configmaps").distinct());
    let crd = Release::crd();
    let both = Answers::render(&[releases, &child], &crd, objects, PAGE, ASIDE).writable();
    let alone = Answers::render(&[releases], &crd, objects, PAGE, ASIDE).writable();
    let ours = live(&both, start::<ours::owner>) - live(&alone, start::<ours::owner>);
    let hand = |pruned| live(&both, move |client| metadata_of::<ConfigMap>(client, pruned));
    println!("\n{child}");
    let mut table = Table::new(&format!("{objects} children"));
    table.row("bytes per owned child", [ours, hand(false), hand(true)], &Aim::OfB0(0.20));
    table.print()
}
