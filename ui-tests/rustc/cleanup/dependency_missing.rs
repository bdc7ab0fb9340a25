//! A cleanup gets what its reconciler holds.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, Git, GitRepository, RepoError, bucket, run};

#[sub_reconciler(sets(bucket::BucketMade), external)]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = fetch)]
async fn remove(_repo: &GitRepository, _git: &Git, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
