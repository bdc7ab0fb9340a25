//! Users choose the names.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::GitRepository;

#[validate(watches(Secret, by_name))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
