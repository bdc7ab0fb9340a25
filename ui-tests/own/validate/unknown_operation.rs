//! Operations are the words of Kubernetes in lower case.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(on(created))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
