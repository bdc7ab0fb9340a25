//! An argument is misspelt.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec, messsage = "no URL")]
fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
