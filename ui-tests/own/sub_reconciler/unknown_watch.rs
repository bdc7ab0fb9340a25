//! A way to watch that there is not.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), watches(Secret, by_nam))]
async fn fetch(repo: &GitRepository, _cx: &mut Cx) -> Result<String, RepoError> {
    Ok(repo.spec.url.clone())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let _text: String = fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
