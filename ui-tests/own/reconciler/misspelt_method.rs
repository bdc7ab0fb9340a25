//! A step of the struct has a slip of the pen.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.fetsch(repo, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::SourceFetched))]
    async fn fetch(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
