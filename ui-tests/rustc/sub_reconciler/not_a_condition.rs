//! A type that is no marker.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError};

#[sub_reconciler(sets(ConfigMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx;
    Ok(())
}

fn main() {
    let _ = fetch;
}
