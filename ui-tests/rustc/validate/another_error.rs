//! A review returns a denial.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository) -> Result<(), String> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
