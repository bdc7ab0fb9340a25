//! The expression is missing.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(when = " ")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
