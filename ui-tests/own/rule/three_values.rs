//! A rule takes two values at most.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec, old: &GitRepositorySpec, other: &GitRepositorySpec) -> bool {
    new.url == old.url && old.url == other.url
}

fn main() {
    ui_tests::enforce::<judged>();
}
