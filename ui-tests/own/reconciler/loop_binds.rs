//! A loop hands nothing on.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    for _ in 0..2 {
        let commit = fetch(repo, cx).await?;
    }
    store(repo, &ui_tests::Commit(String::new()), cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
