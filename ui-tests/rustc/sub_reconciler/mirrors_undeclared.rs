//! A step shows another object in a condition that is not its own.
use evenkeel::prelude::*;
use ui_tests::{Bucket, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), reads(Bucket))]
async fn look(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let bucket = cx.get::<Bucket>("b").await?;
    cx.mirror(on::ArtifactStored, &bucket);
    Ok(())
}

fn main() {
    let _ = look;
}
