//! A kind that there is not.
use evenkeel::prelude::*;
#[allow(unused_imports)]
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), owns(ConfgMap))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx;
    Ok(())
}

fn main() {
    let _ = fetch;
}
