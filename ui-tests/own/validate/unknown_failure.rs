//! Two failure policies.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(failure = "warn")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
