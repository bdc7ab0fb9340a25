//! A connection has no object.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(on(connect))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
