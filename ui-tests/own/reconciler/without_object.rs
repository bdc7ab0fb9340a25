//! A step works on the object of the pass.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

fn other() -> GitRepository {
    unimplemented!()
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(&other(), cx).await?;
    store(repo, &commit, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
