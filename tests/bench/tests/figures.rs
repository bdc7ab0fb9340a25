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

use evenkeel_bench::report::{DEPENDENTS, MEMORY, Report, overwrites};

#[test]
fn memory_is_not_worse_than_the_committed_figures() {
    let mut report = Report::new(MEMORY);
    memory::tables(&mut report, 1_000);
    assert_eq!(report.compared(), 0, "see above for what is missed or worse");
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
