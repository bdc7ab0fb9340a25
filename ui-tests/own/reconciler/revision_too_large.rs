//! A revision is a number of 32 bits.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition, revision = 4294967296)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
