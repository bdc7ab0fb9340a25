//! It finds secrets.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{ByUser, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::ArtifactStored), watches(ConfigMap, labels = "a=b", index = ByUser))]
async fn find(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {}
