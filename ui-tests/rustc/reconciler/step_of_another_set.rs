//! A step sets conditions of its set.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, fetch};

#[reconciler(conditions = BucketCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
