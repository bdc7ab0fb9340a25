//! Only the API server evaluates fields, so an object that left the selection could not be cleaned up.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched, on::ArtifactStored, on::ArtifactOutdated), external)]
async fn store(_: &GitRepository, _: &mut Cx) -> Result<(), RepoError> { Ok(()) }

#[cleanup(of = store)]
async fn remove(_: &GitRepository, _: &mut Cx<'_, store>) -> Result<(), RepoError> { Ok(()) }

#[reconciler(conditions = RepoCondition, fields = "metadata.name=a")]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    store(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
