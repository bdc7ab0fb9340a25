//! A function that lists no references.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

fn needed(repo: &GitRepository) -> String {
    repo.spec.url.clone()
}

#[reconciler(conditions = RepoCondition, depends_on = needed)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
