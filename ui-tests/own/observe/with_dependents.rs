//! It changes nothing.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on, store};

#[observe(sets(on::ArtifactStored), dependents(ConfigMap))]
async fn look(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition, policies, observe = look)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
