//! It owns objects in its own namespace only.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), owns(ConfigMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.apply_in("team-b", &ConfigMap::default()).await?;
    Ok(())
}

fn main() {
    let _ = fetch;
}
