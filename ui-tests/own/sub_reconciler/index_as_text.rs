//! An index is a type.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::ArtifactStored), watches(Secret, labels = "a=b", index = "user"))]
async fn find(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {}
