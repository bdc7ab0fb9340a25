//! A condition has one owner.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(on::ArtifactStored, ConditionStatus::True, "Stored", "stored");
    Ok(())
}

fn main() {
    let _ = fetch;
}
