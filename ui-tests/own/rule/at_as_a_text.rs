//! A path of fields is no text.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = "spec")]
fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
