//! A step that there is not.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = fetsh)]
async fn remove(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.commit().await?;
    Ok(())
}

fn main() {
    let _ = (fetch, remove);
}
