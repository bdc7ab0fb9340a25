//! A closure has its body in place.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

fn is_fine(_: &Interval) -> bool {
    true
}

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    new.interval.as_ref().is_none_or(is_fine)
}

fn main() {
    ui_tests::enforce::<judged>();
}
