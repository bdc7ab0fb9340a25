//! A method without a form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    new.url.to_lowercase() == new.url
}

fn main() {
    ui_tests::enforce::<judged>();
}
