//! A step stands in a line of its own.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    if fetch(repo, cx).await?.0.is_empty() {
        skip(store, "Empty");
    } else {
        store(repo, &ui_tests::Commit(String::new()), cx).await?;
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
