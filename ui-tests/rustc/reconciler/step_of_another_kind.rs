//! A step works on its kind, and sets conditions of its set.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, make_bucket, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    make_bucket(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
