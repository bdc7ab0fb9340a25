//! An optional field needs a `?`.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate]
fn check(_repo: &GitRepository, cx: &mut Review) -> Result<(), Denial> {
    cx.deny(field!(metadata.annotations["team"]), "no");
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
