//! What runs after the steps has nothing behind it.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on, store};

#[postcondition(sets(on::SourceFetched, on::ArtifactOutdated))]
async fn look(_repo: &GitRepository, _cx: &mut Cx) -> Result<ui_tests::Commit, RepoError> {
    Ok(ui_tests::Commit(String::new()))
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = look(repo, cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
