//! The context is borrowed.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository, _cx: Review) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
