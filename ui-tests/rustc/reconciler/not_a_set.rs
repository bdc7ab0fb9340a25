//! A type that is no condition set.
use evenkeel::prelude::*;
use ui_tests::{Commit, GitRepository, fetch, store};

#[reconciler(conditions = Commit)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
