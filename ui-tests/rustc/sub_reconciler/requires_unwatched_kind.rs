//! Nothing would wake the object.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), polls(ConfigMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.require::<ConfigMap>("settings").await;
    Ok(())
}

fn main() {
    let _ = fetch;
}
