//! A step that there is not, with nearly the name of a variable.
use evenkeel::prelude::*;
use ui_tests::{Git, GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, _git: &Git, cx: &mut Pass<'_>) -> PassResult {
    let committed = fetch(repo, cx).await?;
    commited(repo, &committed, cx).await?;
    store(repo, &committed, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
