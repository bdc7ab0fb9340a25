//! The name of an index is stored.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoError, on};

struct ByUser;

impl evenkeel::Index for ByUser {
    const NAME: &'static str = "";
    type Object = Secret;

    fn keys(secret: &Secret) -> Vec<String> {
        secret.type_.iter().cloned().collect()
    }
}

#[sub_reconciler(sets(on::ArtifactStored), watches(Secret, labels = "a=b", index = ByUser))]
async fn find(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {}
