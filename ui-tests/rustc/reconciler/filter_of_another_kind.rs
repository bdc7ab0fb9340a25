//! The filter takes the reconciled object.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

fn is_mine(secret: &Secret) -> bool {
    secret.data.is_some()
}

#[reconciler(conditions = RepoCondition, filter = is_mine)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
