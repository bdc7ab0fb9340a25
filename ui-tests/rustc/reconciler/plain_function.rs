//! Only steps are called.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

async fn log(_repo: &GitRepository, _cx: &mut Pass<'_>) -> PassResult {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    log(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
