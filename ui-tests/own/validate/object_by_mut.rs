//! A validation changes nothing.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &mut GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
