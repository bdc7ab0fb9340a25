//! A join has its place in the pipeline.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let both = async || join(fetch(repo, cx), store(repo, &ui_tests::Commit(String::new()), cx)).await;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
