//! The methods of a reconciler are those of the struct itself.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl evenkeel::Reconciler for Repos {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        Ok(())
    }
}

fn main() {
    let _ = Repos;
    ui_tests::run::<Repos>();
}
