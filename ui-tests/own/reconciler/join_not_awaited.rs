//! A join runs when it is awaited.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    join(fetch(repo, cx), store(repo, &ui_tests::Commit(String::new()), cx));
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
