//! The name is part of a domain name.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check_(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check_>();
}
