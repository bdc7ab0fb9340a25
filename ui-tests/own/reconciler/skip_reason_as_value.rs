//! The reason is known at compile time.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

const REASON: &str = "NoUrl";

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    if repo.spec.url.is_empty() {
        skip(store, REASON);
    } else {
        store(repo, &commit, cx).await?;
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
