//! A cleanup may be moved between threads.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), external)]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = fetch)]
async fn remove(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let seen = std::rc::Rc::new(0);
    cx.commit().await?;
    drop(seen);
    Ok(())
}

fn main() {
    let _ = (fetch, remove);
}
