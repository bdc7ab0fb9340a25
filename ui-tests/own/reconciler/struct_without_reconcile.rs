//! The pipeline of a struct is its method `reconcile`.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    #[sub_reconciler(sets(on::SourceFetched))]
    async fn fetch(&self, _repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
        cx.requeue();
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
