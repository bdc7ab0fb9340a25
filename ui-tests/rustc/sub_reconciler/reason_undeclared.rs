//! A reason that the closed set does not have, in a branch of the body.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SomeCondition {
    #[condition(positive, reasons(Stored, DiskFull))]
    ArtifactStored,
}

#[sub_reconciler(sets(on::ArtifactStored))]
async fn store(repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    if repo.spec.url.is_empty() {
        cx.set(on::ArtifactStored, ConditionStatus::Unknown, "NothingAsked", "there is no URL");
    }
    Ok(())
}

fn main() {
    let _ = store;
}
