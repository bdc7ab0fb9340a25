//! It can change nothing.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, store};

#[claim]
async fn name_it(_repo: &GitRepository) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition, claim = name_it)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
