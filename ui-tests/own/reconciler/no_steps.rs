//! A pipeline calls at least one step.
use evenkeel::prelude::*;
use ui_tests::*;

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    Ok(())
}

fn main() {
    assert_eq!(run::<repository>(), 2);
}
