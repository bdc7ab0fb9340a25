//! A variable has no form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    let url = &new.url;
    !url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
