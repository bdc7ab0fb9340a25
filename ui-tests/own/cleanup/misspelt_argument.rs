//! An argument that there is not.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), external)]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(off = fetch)]
async fn remove(_repo: &GitRepository, _cx: &mut Cx<'_, fetch>) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = (fetch, remove);
}
