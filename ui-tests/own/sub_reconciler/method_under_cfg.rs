//! The conditions of a step that is not there would be nobody's.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.fetch(repo, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated, on::ArtifactStored))]
    #[cfg(unix)]
    async fn fetch(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
