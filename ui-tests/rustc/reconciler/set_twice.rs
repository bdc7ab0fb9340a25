//! A condition has one owner.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on, store};

#[sub_reconciler(sets(on::ArtifactStored))]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    store(repo, &commit, cx).await?;
    check(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
