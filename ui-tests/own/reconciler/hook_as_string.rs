//! A hook in quotes.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositoryStatus, RepoCondition, fetch, store};

pub fn report(_: &GitRepository, end: &mut PassEnd<'_, GitRepositoryStatus>) {
    end.silence();
}

#[reconciler(conditions = RepoCondition, on_end = "report")]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
