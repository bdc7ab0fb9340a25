//! A subresource has a name.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(subresource = "/status")]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
