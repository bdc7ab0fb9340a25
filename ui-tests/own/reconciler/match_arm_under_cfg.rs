//! An arm under `cfg` would add or remove conditions per build.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, fetch, store};

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let commit = fetch(repo, cx).await?;
    match repo.spec.interval {
        #[cfg(unix)]
        Some(_) => store(repo, &commit, cx).await?,
        _ => {}
    }
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
