//! A type that the API server does not know.
use evenkeel::prelude::*;
use ui_tests::{Git, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), polls(Git))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx;
    Ok(())
}

fn main() {
    let _ = fetch;
}
