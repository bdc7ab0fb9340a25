//! A server-side apply is two verbs.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Pod;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), uses(Pod, apply))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<String, RepoError> {
    cx.event(EventLevel::Normal, "Fetched", "");
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
