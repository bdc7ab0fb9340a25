//! A step that there is not, where the runtime has another name.
mod vendor {
    pub use evenkeel as keel;
}
use ui_tests::{Git, GitRepository, RepoCondition, fetch, store};
use vendor::keel::prelude::*;

#[reconciler(conditions = RepoCondition, crate = crate::vendor::keel)]
async fn repository(repo: &GitRepository, _git: &Git, cx: &mut Pass<'_>) -> PassResult {
    let committed = fetch(repo, cx).await?;
    commited(repo, &committed, cx).await?;
    store(repo, &committed, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
