//! A macro hides what it calls.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    futures::try_join!(ui_tests::store(repo, &commit, cx))?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
