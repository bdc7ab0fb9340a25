//! The cleanup of a step with a mistake has none.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, bucket};

#[sub_reconciler(sets(bucket::BucketMade), external)]
fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = make)]
async fn remove(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
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
