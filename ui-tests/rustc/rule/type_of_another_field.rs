//! The parameter has the type of the field in `at`.
use evenkeel::prelude::*;
use ui_tests::{BucketSpec, GitRepository};

#[rule(of = GitRepository, at = spec)]
fn judged(_new: &BucketSpec) -> bool {
    true
}

fn main() {
    ui_tests::enforce::<judged>();
}
