//! A step changes its context.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket, run};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn look(repo: &GitRepository, cx: &Cx) -> Result<(), RepoError> {
    cx.status().revision = Some(repo.spec.url.clone());
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    look(repo, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
