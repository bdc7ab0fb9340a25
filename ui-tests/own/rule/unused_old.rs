//! An old value that is not read hides new objects from the rule.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec, _old: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
