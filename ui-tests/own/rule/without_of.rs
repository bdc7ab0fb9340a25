//! A rule names its kind.
use evenkeel::prelude::*;
use ui_tests::GitRepositorySpec;

#[rule(at = spec)]
fn judged(new: &GitRepositorySpec) -> bool {
    !new.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
