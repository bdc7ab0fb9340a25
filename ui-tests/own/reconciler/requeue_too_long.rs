//! An interval that would be clamped.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, run, store};

#[reconciler(conditions = RepoCondition, requeue = "60d")]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
