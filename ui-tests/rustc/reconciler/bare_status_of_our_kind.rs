//! A kind with `#[status]` stores its status itself.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition, bare_status(annotation))]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
