//! A condition is set by the step that declares it, whatever is implemented.
use evenkeel::permission::SetBy;
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

impl SetBy<fetch> for on::ArtifactStored {}

fn main() {
    let _ = std::any::type_name::<fetch>();
}
