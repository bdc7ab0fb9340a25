//! A name that ends too early.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError};

#[sub_reconciler(sets(on::))]
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
