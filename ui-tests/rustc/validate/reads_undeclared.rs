//! A review reads what it declares.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::GitRepository;

#[validate]
async fn check(_repo: &GitRepository, cx: &mut Review) -> Result<(), Denial> {
    cx.get::<Secret>("token").await?;
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
