//! A choice has both values.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    if new.url.is_empty() {
        return false;
    }
    true
}

fn main() {
    ui_tests::enforce::<judged>();
}
