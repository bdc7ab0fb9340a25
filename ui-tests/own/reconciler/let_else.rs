//! There is one way out of a pipeline.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let ui_tests::Commit(url) = fetch(repo, cx).await? else { return Ok(()) };
    store(repo, &ui_tests::Commit(url), cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
