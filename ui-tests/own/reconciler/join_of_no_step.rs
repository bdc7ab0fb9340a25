//! Only steps are joined.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let (_, _) = join(fetch(repo, cx), 5).await?;
    store(repo, &ui_tests::Commit(String::new()), cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
