//! A reconciler is one type.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

struct Repos<G>(G);

#[reconciler(conditions = RepoCondition)]
impl<G: Clone + Send + Sync> Repos<G> {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.fetch(repo, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::SourceFetched))]
    async fn fetch(&self, repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
        let _ = (self.0.clone(), repo);
        cx.requeue();
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos<u8>>();
}
