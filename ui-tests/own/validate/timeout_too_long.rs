//! The API server waits 30 seconds.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(timeout = "31s")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
