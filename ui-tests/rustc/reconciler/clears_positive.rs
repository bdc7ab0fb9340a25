//! Only bad news is cleared.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on};

#[sub_reconciler(sets(on::ArtifactStored), clears(on::SourceFetched))]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    check(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
