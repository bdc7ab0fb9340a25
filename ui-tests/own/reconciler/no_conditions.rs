//! A reconciler tells how its object stands.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, fetch, store};

#[reconciler]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
