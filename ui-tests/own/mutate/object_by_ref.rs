//! A mutation changes its object.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[mutate]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
