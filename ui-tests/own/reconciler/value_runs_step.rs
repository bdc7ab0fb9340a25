//! A step stands in a line of its own.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = if repo.spec.interval.is_some() {
        Some(fetch(repo, cx).await?)
    } else {
        skip(fetch, "NoInterval");
        None
    };
    store(repo, &commit.unwrap(), cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
