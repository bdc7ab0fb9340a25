//! An argument that there is not.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(set(on::SourceFetched))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<String, RepoError> {
    cx.set(on::SourceFetched, ConditionStatus::True, "Fetched", "");
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
