//! The API server waits whole seconds.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(timeout = "1500ms")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
