//! A precondition only reads.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Pod;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

#[precondition(sets(on::SourceFetched), uses(Pod, log = get, eviction = create))]
async fn fetch(repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    let _ = &repo.spec.url;
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
