//! A condition that nobody sets.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
