//! It was called a check, as a method, too.
use evenkeel::prelude::*;
use ui_tests::{Bucket, BucketCondition, RepoError, bucket};

struct Buckets;

#[reconciler(conditions = BucketCondition)]
impl Buckets {
    async fn reconcile(&self, bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
        self.check_it(bucket, cx).await?;
        Ok(())
    }

    #[check(after, sets(bucket::BucketMade))]
    async fn check_it(&self, _bucket: &Bucket, _cx: &mut Cx) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::run::<Buckets>();
}
