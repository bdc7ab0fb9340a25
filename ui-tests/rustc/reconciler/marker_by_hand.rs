//! A marker that is written by hand stands for a condition of its set.
use evenkeel::prelude::*;
use evenkeel::condition::ConditionMarker;
use ui_tests::{GitRepository, RepoCondition, RepoError};

#[derive(Clone, Copy)]
struct Fourth;
impl ConditionMarker for Fourth {
    type Set = RepoCondition;
    const INDEX: usize = 3;
}

#[sub_reconciler(sets(Fourth))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    fetch(repo, cx).await?;
    Ok(())
}

fn main() {}
