//! What a step reads is declared.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx.condition(on::ArtifactStored);
    Ok(())
}

fn main() {
    let _ = fetch;
}
