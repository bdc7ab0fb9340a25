//! Bits have no form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    new.url.len() & 1 == 0
}

fn main() {
    ui_tests::enforce::<judged>();
}
