//! The value of a match is bound before it.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    match fetch(repo, cx).await? {
        commit => store(repo, &commit, cx).await?,
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
