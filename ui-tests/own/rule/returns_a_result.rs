//! A rule holds or does not.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> Result<(), String> {
    if new.url.is_empty() { Err("no URL".to_owned()) } else { Ok(()) }
}

fn main() {
    ui_tests::enforce::<judged>();
}
