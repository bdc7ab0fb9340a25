//! A watch by name holds the named objects only.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), watches(ConfigMap, by_name))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.list::<ConfigMap>().await;
    Ok(())
}

fn main() {
    let _ = fetch;
}
