//! A wrong value is found at its place.
use evenkeel::prelude::*;
use ui_tests::{Commit, GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(repo: &GitRepository, _cx: &mut Cx) -> Result<Commit, RepoError> {
    let url: Result<String, RepoError> = Ok(repo.spec.url.clone());
    url
}

fn main() {
    let _ = fetch;
}
