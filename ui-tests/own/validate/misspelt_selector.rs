//! A selector that the API server would refuse.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(objects = "team a")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
