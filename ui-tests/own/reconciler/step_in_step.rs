//! A step stands in a line of its own.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    store(repo, &fetch(repo, cx).await?, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
