//! What a step clears is declared.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.clear(on::ArtifactOutdated);
    Ok(())
}

fn main() {
    let _ = fetch;
}
