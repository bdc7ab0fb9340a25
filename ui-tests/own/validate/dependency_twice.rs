//! Dependencies are found by their types.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository, _size: &u8, _most: &u8) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
