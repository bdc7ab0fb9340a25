//! An index needs the object.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{ByUser, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::ArtifactStored), watches(Secret, labels = "a=b", cache = metadata, index = ByUser))]
async fn find(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {}
