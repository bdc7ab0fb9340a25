//! An error would mark a condition with a reason that it does not have.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SomeCondition {
    #[condition(positive, reasons(InvalidUrl))]
    Stored,
}

#[sub_reconciler(sets(on::Stored))]
async fn store(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = SomeCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    store(repo, cx).await?;
    Ok(())
}
fn main() { ui_tests::run::<repository>(); }
