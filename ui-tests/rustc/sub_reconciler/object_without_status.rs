//! Conditions are kept in a status.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_map: &ConfigMap, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = fetch;
}
