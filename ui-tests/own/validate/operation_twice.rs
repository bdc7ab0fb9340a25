//! Each operation once.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(on(create, create))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
