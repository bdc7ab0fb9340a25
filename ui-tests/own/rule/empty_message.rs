//! A message has a text.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec, message = "")]
fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
