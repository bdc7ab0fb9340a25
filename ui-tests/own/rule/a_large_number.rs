//! CEL has integers of 64 bits.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    new.url.len() < 9223372036854775808
}

fn main() {
    ui_tests::enforce::<judged>();
}
