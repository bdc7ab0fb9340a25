//! The API server waits for nothing.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
async fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
