//! It runs too late to hold the step back.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on};

#[precondition(sets(on::ArtifactStored))]
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
