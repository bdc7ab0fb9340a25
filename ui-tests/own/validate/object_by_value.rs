//! The object is borrowed.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
