//! A webhook is for one kind.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check<K: Clone>(_repo: &GitRepository, _of: &K) -> Result<(), Denial> {
    Ok(())
}

fn main() {
}
