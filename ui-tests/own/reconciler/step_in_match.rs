//! A match is no branch.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    match repo.spec.interval {
        Some(_) => store(repo, &commit, cx).await?,
        None => skip(store, "NoInterval"),
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
