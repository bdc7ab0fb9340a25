//! A name is misspelt.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    !nwe.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
