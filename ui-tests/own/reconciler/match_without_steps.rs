//! A match must run a step in one of its arms.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    match repo.spec.interval {
        Some(_) => tracing::info!("there is an interval"),
        None => {}
    }
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
