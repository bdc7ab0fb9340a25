//! A log line is no place for a step.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    tracing::info!("fetched {:?}", fetch(repo, cx).await);
    store(repo, &repo.spec.url, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
