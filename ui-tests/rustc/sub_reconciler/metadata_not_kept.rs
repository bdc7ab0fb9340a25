//! Of owned kinds nothing but records is kept unless the step says so.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), owns(ConfigMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.metadata::<ConfigMap>().await;
    Ok(())
}

fn main() {
    let _ = fetch;
}
