//! A method without an attribute is no step.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.fetch(repo, cx).await?;
        Ok(())
    }

    async fn fetch(&self, _repo: &GitRepository, _cx: &mut Pass<'_>) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
