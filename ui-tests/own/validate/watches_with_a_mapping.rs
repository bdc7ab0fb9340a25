//! A review has no mapping function.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::GitRepository;

fn repos(_: &Secret) -> Vec<evenkeel::dependency::Reference> {
    Vec::new()
}

#[validate(watches(Secret, labels = "a=b", map = repos))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
    let _ = repos;
}
