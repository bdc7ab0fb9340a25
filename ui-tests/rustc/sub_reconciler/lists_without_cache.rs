//! Of a kind that only wakes nothing is kept that could be listed.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), watches(ConfigMap, labels = "app=web", cache = none))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.list::<ConfigMap>().await;
    Ok(())
}

fn main() {
    let _ = fetch;
}
