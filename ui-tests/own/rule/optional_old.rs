//! A rule of a CRD with an old value is checked at changes only.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec, old: Option<&GitRepositorySpec>) -> bool {
    old.is_none_or(|old| new.url == old.url)
}

fn main() {
    ui_tests::enforce::<judged>();
}
