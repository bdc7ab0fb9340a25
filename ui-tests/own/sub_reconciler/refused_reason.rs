//! The API server checks the grammar of reasons.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn make(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(bucket::BucketMade, ConditionStatus::False, "not made", "the bucket could not be made");
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    make(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
