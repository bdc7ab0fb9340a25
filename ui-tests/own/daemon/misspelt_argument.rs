//! It is called so.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, store};

#[daemon(time_out = "30s")]
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
