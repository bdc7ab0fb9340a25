//! A watcher function takes an event.
use evenkeel::prelude::*;
use ui_tests::{Git, GitRepository, RepoError};

#[watcher(plain)]
async fn repos(_repo: &GitRepository, _git: &Git, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    ui_tests::watch::<repos>();
}
