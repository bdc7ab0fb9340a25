//! A step sets its conditions once.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    if repo.spec.url.is_empty() {
        store(repo, &commit, cx).await?;
    } else {
        skip(store, "NotTwice");
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
