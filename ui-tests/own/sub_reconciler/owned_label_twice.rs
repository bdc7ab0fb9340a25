//! An object cannot have two values of one label.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), owns(Secret, labels = "app=web,app=db"))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<String, RepoError> {
    let _ = cx.apply(&Secret::default()).await;
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
