//! A time-out of a step in no unit.
use evenkeel::prelude::*;
use ui_tests::{Bucket, RepoError, bucket};

#[sub_reconciler(sets(bucket::BucketMade), timeout = 30)]
async fn make(_bucket: &Bucket, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = ui_tests::BucketCondition)]
async fn buckets(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    make(bucket, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<buckets>();
}
