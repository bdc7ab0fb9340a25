//! A guard of a lock stays in one thread; the step is where it is held.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket, run};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn count(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let all = std::sync::Mutex::new(0);
    let held = all.lock().unwrap();
    cx.commit().await?;
    drop(held);
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
