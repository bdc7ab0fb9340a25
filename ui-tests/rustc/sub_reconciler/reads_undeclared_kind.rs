//! The role is the union of what is declared.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.get::<ConfigMap>("settings").await?;
    Ok(())
}

fn main() {
    let _ = fetch;
}
