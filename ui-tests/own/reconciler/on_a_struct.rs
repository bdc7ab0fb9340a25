//! A reconciler is a function.
use evenkeel::prelude::*;
use ui_tests::RepoCondition;

#[reconciler(conditions = RepoCondition)]
struct Repository {}

fn main() {
    let _ = (Repository {}, RepoCondition::SourceFetched);
}
