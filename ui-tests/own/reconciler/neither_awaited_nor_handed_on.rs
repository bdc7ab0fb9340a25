//! A step is awaited, and its error is handed on.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx);
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
