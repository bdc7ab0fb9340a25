//! What a step declares stands in its attribute alone: the traits behind it cannot be named.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

impl evenkeel::permission::Declares<evenkeel::permission::sets, on::ArtifactStored> for fetch {}

fn main() {
    let _ = std::any::type_name::<fetch>();
}
