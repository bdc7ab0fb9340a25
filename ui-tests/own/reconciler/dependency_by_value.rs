//! A reconciler runs for many objects.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, _git: Git, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
