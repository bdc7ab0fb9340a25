//! A step belongs to the set of its conditions.
use evenkeel::bounds::StepOf;
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

impl StepOf<GitRepository, BucketCondition> for fetch {}

fn main() {
    let _ = std::any::type_name::<fetch>();
}
