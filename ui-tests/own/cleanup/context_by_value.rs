//! The context is borrowed from the pass.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), external)]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = fetch)]
async fn remove(_repo: &GitRepository, cx: Cx) -> Result<(), RepoError> {
    cx.status().revision = None;
    Ok(())
}

fn main() {
    let _ = (fetch, remove);
}
