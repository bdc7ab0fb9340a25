//! The kind does not exist.
use evenkeel::prelude::*;

#[validate]
fn check(_repo: &GitRepo) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
