//! A macro has no form in CEL.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    matches!(new.url.as_str(), "a" | "b")
}

fn main() {
    ui_tests::enforce::<judged>();
}
