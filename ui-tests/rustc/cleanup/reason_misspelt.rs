//! A cleanup keeps to the closed set of a condition, as its step does.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SomeCondition {
    #[condition(positive, reasons(Stored = "It is in storage", DiskFull))]
    ArtifactStored,
}

#[sub_reconciler(sets(on::ArtifactStored), external)]
async fn store(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = store)]
async fn remove(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(on::ArtifactStored, ConditionStatus::False, "DiskFul", "no space left");
    Ok(())
}

fn main() {
    let _ = (store, remove);
}
