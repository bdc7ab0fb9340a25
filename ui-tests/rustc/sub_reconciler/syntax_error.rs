//! A syntax error in a body is rustc's to tell: nothing follows from it.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, fetch, on};

#[sub_reconciler(sets(on::ArtifactStored))]
async fn store(repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.status().revision = Some(repo.spec.url.clone() + );
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    store(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
