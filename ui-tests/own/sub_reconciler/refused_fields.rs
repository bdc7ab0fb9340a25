//! A field selector compares fields with values.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), watches(Secret, fields = "type in (Opaque)"))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<String, RepoError> {
    let _ = cx.get::<Secret>("token").await;
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
