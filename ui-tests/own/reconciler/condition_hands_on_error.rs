//! Only steps fail.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    if commit.0.parse::<bool>()? {
        store(repo, &commit, cx).await?;
    } else {
        skip(store, "NotAsked");
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
