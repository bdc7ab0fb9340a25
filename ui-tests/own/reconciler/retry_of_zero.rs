//! Trying again without a pause.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, run, store};

#[reconciler(conditions = RepoCondition, retry = "0s")]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
