//! A `match` has no form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    match &new.interval {
        Some(_) => true,
        None => !new.url.is_empty(),
    }
}

fn main() {
    ui_tests::enforce::<judged>();
}
