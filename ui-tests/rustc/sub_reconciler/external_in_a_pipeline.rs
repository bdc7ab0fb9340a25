//! What is made outside must be removed; the pipeline that runs it says nothing more.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket, run};

#[sub_reconciler(sets(bucket::BucketMade), external)]
async fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    make(repo, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
