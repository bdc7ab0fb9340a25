//! A generic step is called with its type.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

pub trait HasUrl {}
impl HasUrl for GitRepository {}

#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated, on::ArtifactStored))]
async fn fetch<O: HasUrl>(_repo: &O, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> Flow {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
