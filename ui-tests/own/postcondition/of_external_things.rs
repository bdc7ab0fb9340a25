//! It only looks.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on};

#[postcondition(sets(on::ArtifactStored), external)]
async fn check_it(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    check_it(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
