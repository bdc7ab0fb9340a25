//! The figures of memory are not worse than the committed ones. They are the same, whether the program is optimised or not.
#![allow(clippy::print_stderr, reason = "progress of a slow test")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../benches/figures/count.rs"]
mod count;
#[path = "../benches/figures/dependents.rs"]
mod dependents;
#[path = "../benches/figures/memory.rs"]
mod memory;
#[path = "../benches/figures/rolled_out.rs"]
mod rolled_out;
#[path = "../benches/figures/uncounted.rs"]
mod uncounted;

use allocation_counter::opt_out;
use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{b0_of, b1_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::report::{DEPENDENTS, MEMORY, Report, overwrites};
use evenkeel_bench::sample::Sample;
use evenkeel_bench::table::{Aim, THREE, Table};
use kube::CustomResourceExt;

use crate::count::count;

#[test]
fn memory_is_not_worse_than_the_committed_figures() {
    let mut report = Report::new(MEMORY);
    memory::tables(&mut report, 1_000);
    assert_eq!(report.compared(), 0, "see above for what is missed or worse");
}

/// The naive controller in the place of evenkeel misses both targets, and is worse than the committed figure.
#[test]
fn a_controller_that_takes_more_memory_is_found() {
    let (releases, objects) = (Sample::read("releases"), 1_000);
    let answers = || Answers::render(&[&releases], &Release::crd(), objects, 500, |work| opt_out(work));
    let [naive, tuned] = [count(&answers(), b0_of::<Release>), count(&answers(), b1_of::<Release>)].map(|f| f.live);
    let mut table = Table::new("releases", &format!("{objects} objects"), THREE);
    table.row("bytes per cached object", &[naive, naive, tuned], Aim::Shares(&[(1, 0.30), (2, 1.05)]));
    let mut report = Report::new(MEMORY);
    report.add(&table);
    assert_eq!(report.compared(), 3);
}

/// `GENERATED=overwrite` writes the file, as the bench does, with the figures of the larger sets.
#[test]
fn dependents_take_no_more_memory_than_the_committed_figures() {
    let mut report = Report::new(DEPENDENTS);
    if overwrites() {
        dependents::tables(&mut report, &dependents::SIZES);
        return report.record();
    }
    dependents::tables(&mut report, &dependents::SIZES[..2]);
    assert_eq!(report.compared(), 0, "see above for what is missed or worse");
}
