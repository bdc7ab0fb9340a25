//! It was called so.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, store};

#[hook(after)]
async fn say(_repo: &GitRepository) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition, hooks(say))]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
