//! A reason that is nearly a declared one.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SomeCondition {
    #[condition(positive, reasons(Stored = "It is in storage", DiskFull))]
    ArtifactStored,
}

#[sub_reconciler(sets(on::ArtifactStored))]
async fn store(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(on::ArtifactStored, ConditionStatus::False, "DiskFul", "no space left");
    Ok(())
}

fn main() {
    let _ = store;
}
