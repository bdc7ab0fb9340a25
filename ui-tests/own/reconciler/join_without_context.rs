//! A joined step gets the context, too.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    join(fetch(repo, cx), ui_tests::store(repo, &ui_tests::Commit(String::new()))).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
