//! Each joined step gets a context of its own.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    join(fetch(repo, cx), ui_tests::store(repo, &ui_tests::Commit(String::new()), &mut *cx)).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
