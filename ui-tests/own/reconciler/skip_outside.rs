//! A step that never runs is no step.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    skip(store, "NotNeeded");
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
