//! A path has no calls.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository, cx: &mut Review) -> Result<(), Denial> {
    cx.deny(field!(spec.url.len()), "no");
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
