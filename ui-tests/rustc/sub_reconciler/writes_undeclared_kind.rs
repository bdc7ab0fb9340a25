//! The role is the union of what is declared.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), polls(ConfigMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.apply(&ConfigMap::default()).await?;
    Ok(())
}

fn main() {
    let _ = fetch;
}
