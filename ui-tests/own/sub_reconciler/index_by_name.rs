//! There is one object of the name.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{ByUser, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::ArtifactStored), watches(Secret, by_name, index = ByUser))]
async fn find(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {}
