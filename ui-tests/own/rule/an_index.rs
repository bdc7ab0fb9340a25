//! An index may be out of bounds.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    &new.url[..1] == "a"
}

fn main() {
    ui_tests::enforce::<judged>();
}
