//! The tables of memory: bytes and allocations per object, for evenkeel and for two controllers that are written by hand.

use std::sync::Arc;

use evenkeel::Reconciler;
use evenkeel_bench::answers::{Answers, Aside};
use evenkeel_bench::hand::{Work, b0, b0_of, b1, b1_of, metadata_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{self, Lab, start};
use evenkeel_bench::report::Report;
use evenkeel_bench::sample::Sample;
use evenkeel_bench::shapes::{self, Credential, Instance};
use evenkeel_bench::table::{Aim, THREE, Table};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::NamespaceResourceScope;
use kube::{CustomResourceExt, Resource};

use crate::count::{Figures, count, live, written};

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

const ASIDE: Aside = |work| allocation_counter::opt_out(work);

/// Adds the tables for this number of objects.
pub(crate) fn tables(report: &mut Report, objects: usize) {
    eprintln!("{objects} objects ..");
    let [releases, instances, credentials] = ["releases", "instances", "credentials"].map(Sample::read);
    of::<Release, ours::plain>(report, &releases, objects);
    of::<Instance, shapes::instances>(report, &instances, objects);
    of::<Credential, shapes::credentials>(report, &credentials, objects);
    report.add(&children(&releases, objects));
    report.add(&uncached(&releases, objects));
    report.add(&compact(&releases, objects));
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
    let aim = if all { Aim::Shares(&[(1, 0.30), (2, 1.00)]) } else { Aim::Shares(&[(2, 1.00)]) };
    table.row("bytes per cached object", &row(|f| f.live), aim);
    table.row("allocations per object to load", &row(|f| f.load), Aim::Shares(&[(2, 1.00)]));
    if all {
        table.row("allocations per event", &row(|f| f.event), Aim::Shares(&[(1, 0.40), (2, 1.00)]));
        table.row("allocations per change with its write", &writes(objects.min(1_000)), Aim::Shares(&[(2, 0.45)]));
    }
    if all && objects >= RELIST {
        table.row("peak of a relist over steady", &row(|f| f.peak), Aim::AtMost(1.15));
    }
    report.add(&table);
    if all && objects >= RELIST {
        straw(report, sample, &figures);
    }
}

/// The allocations of a change of the spec, the write of the status and the event of that, by each of the three.
fn writes(objects: usize) -> [f64; 3] {
    let answers =
        |sample: Sample| Answers::render(&[&sample.unwritten()], &Release::crd(), objects, PAGE, ASIDE).writable();
    let hand = || answers(Sample::by_hand());
    [
        written(&answers(Sample::read("releases")), start::<ours::plain>),
        written(&hand(), |client| b0(client, Work::default(), Arc::default())),
        written(&hand(), |client| b1(client, Work::default(), Arc::default())),
    ]
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

/// The memory of an object of a watcher with `cache = none`, without what the operator takes for itself.
fn uncached(releases: &Sample, objects: usize) -> Table {
    let releases = releases.clone().distinct();
    let bytes = |objects: usize| {
        let answers = Answers::render(&[&releases], &Release::crd(), objects, PAGE, ASIDE);
        let lab = Arc::new(Lab::default());
        let of_each = live(&answers, |client| ours::start_uncached(client, lab.clone()));
        assert_eq!(lab.bodies(), objects, "each object has had its call");
        of_each * objects as f64
    };
    let figure = (bytes(objects) - bytes(PAGE)) / (objects - PAGE) as f64;
    let mut table =
        Table::new("releases of a watcher with `cache = none`", &format!("{objects} objects"), &["evenkeel"]);
    table.row("bytes per object", &[figure], Aim::AtMost(250.0));
    table.about(&releases)
}

/// The number of decoded objects in a compact cache.
const DECODED: usize = 100;

/// The memory of an object in a compact cache, without what the operator takes for itself, beside B1.
fn compact(releases: &Sample, objects: usize) -> Table {
    let releases = releases.clone().varied();
    let lab = Arc::new(Lab::default());
    let of = |objects: usize| {
        let answers = Answers::render(&[&releases], &Release::crd(), objects, PAGE, ASIDE);
        live(&answers, |client| ours::start_compact::<ours::plain>(client, lab.clone(), DECODED)) * objects as f64
    };
    let answers = Answers::render(&[&releases], &Release::crd(), objects, PAGE, ASIDE);
    let ours = (of(objects) - of(PAGE)) / (objects - PAGE) as f64;
    assert_eq!(lab.bodies(), 0, "nothing has changed");
    let mut table = Table::new("releases in a compact cache", &format!("{objects} objects"), &["evenkeel", "B1"]);
    table.row("bytes per object", &[ours, live(&answers, b1_of::<Release>)], Aim::Shares(&[(1, 0.55)]));
    table.about(&releases)
}
