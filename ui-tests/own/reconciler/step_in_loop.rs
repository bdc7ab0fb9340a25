//! A step runs once.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> Flow {
    let commit = fetch(repo, cx).await?;
    for _ in 0..2 {
        store(repo, &commit, cx).await?;
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
