//! A step gets what it asks for.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    store(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
