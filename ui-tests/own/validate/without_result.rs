//! A review returns a result.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository) {
}

fn main() {
    ui_tests::review::<check>();
}
