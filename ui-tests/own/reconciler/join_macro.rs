//! The macro knows nothing of contexts.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let (_, _) = tokio::join!(ui_tests::fetch(repo, cx), ui_tests::store(repo, cx));
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
