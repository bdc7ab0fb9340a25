//! The step watches without the index.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{ByUser, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::ArtifactStored), watches(Secret, labels = "a=b"))]
async fn find(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.indexed(ByUser, "alice").await;
    Ok(())
}

fn main() {}
