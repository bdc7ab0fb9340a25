//! The context is what a step may do.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(repo: &GitRepository, _text: &str) -> Result<String, RepoError> {
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
