//! A bipolar condition is cleared by its own step.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SomeCondition {
    #[condition(bipolar)]
    Verified,
    #[condition(positive)]
    Stored,
}

#[sub_reconciler(sets(on::Verified))]
async fn verify(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> { Ok(()) }
#[sub_reconciler(sets(on::Stored), clears(on::Verified))]
async fn store(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> { Ok(()) }

#[reconciler(conditions = SomeCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    verify(repo, cx).await?;
    store(repo, cx).await?;
    Ok(())
}
fn main() { ui_tests::run::<repository>(); }
