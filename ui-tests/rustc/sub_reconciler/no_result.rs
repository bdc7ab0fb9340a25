//! What may go wrong has a class.
use evenkeel::prelude::*;
use ui_tests::{Commit, GitRepository, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(repo: &GitRepository, _cx: &mut Cx) -> Commit {
    Commit(repo.spec.url.clone())
}

fn main() {
    let _ = fetch;
}
