//! A function that does not take the object.
use evenkeel::prelude::*;
use ui_tests::{Bucket, GitRepository, RepoCondition, fetch, run, store};

fn next_run(_bucket: &Bucket) -> Option<Interval> {
    None
}

#[reconciler(conditions = RepoCondition, requeue = next_run)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
