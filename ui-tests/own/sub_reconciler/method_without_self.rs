//! A step in the `impl` of a reconciler is a method.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.fetch(repo, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::SourceFetched))]
    async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
        cx.requeue();
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
