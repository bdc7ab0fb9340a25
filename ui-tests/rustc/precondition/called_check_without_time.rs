//! It was called a check, which said when it runs.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on};

#[check(sets(on::ArtifactStored))]
async fn check_it(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    check_it(repo, cx).await?;
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
