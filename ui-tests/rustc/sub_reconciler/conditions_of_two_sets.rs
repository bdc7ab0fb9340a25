//! A step sets conditions of one set.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, bucket, on};

#[sub_reconciler(sets(on::SourceFetched, bucket::BucketMade))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx;
    Ok(())
}

fn main() {
    let _ = fetch;
}
