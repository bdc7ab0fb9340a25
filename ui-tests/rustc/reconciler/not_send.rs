//! A step may be moved between threads.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket, run};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn count(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let seen = std::rc::Rc::new(0);
    cx.commit().await?;
    drop(seen);
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    count(repo, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
