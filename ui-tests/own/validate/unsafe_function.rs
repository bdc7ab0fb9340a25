//! A review is a plain function.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
unsafe fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
