//! A pipeline ends in a flow.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
