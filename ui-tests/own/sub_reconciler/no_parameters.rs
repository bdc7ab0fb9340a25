//! A step has an object and a context.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch() -> Result<String, RepoError> {
    Ok(String::new())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let _text: String = fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
