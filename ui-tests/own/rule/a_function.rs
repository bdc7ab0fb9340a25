//! A call of another function has no form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

fn is_fine(url: &str) -> bool {
    !url.is_empty()
}

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    is_fine(&new.url)
}

fn main() {
    ui_tests::enforce::<judged>();
}
