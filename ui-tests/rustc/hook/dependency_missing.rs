//! It asks for what the reconciler has not.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, store};

#[hook(before_steps)]
async fn say(_repo: &GitRepository, _git: &ui_tests::Git) -> Result<(), RepoError> {
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
