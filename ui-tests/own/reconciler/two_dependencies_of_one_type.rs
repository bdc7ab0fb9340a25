//! Dependencies are told apart by their types.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, _git: &Git, _mirror: &Git, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
