//! Where nothing may run, nothing would.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition, concurrency = 0)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
