//! A condition is cleared by a step that declares it.
use evenkeel::permission::ClearedBy;
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

impl ClearedBy<fetch> for on::ArtifactOutdated {}

fn main() {
    let _ = std::any::type_name::<fetch>();
}
