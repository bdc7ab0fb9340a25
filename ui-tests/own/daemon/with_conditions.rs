//! It sets no condition.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, store};

#[daemon(sets(on::Fetched))]
async fn follow(_repo: &GitRepository, _daemon: &Daemon) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition, daemons(follow))]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
