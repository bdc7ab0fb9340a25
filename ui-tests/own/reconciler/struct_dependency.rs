//! What a struct depends on are its fields.
use evenkeel::prelude::*;
use ui_tests::{Git, GitRepository, RepoCondition, fetch, store};

struct Repos;

#[reconciler(conditions = RepoCondition)]
impl Repos {
    async fn reconcile(&self, repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> PassResult {
        let commit = fetch(repo, cx).await?;
        store(repo, &commit, cx).await?;
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Repos>();
}
