//! A method is a step only where its struct is a reconciler.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

struct Repos;

impl Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> Result<(), RepoError> {
        self.fetch(repo, cx).await
    }

    #[sub_reconciler(sets(on::SourceFetched))]
    async fn fetch(&self, _repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
        cx.set(on::SourceFetched, ConditionStatus::True, "Fine", "");
        Ok(())
    }
}

fn main() {
    let _ = Repos::reconcile;
}
