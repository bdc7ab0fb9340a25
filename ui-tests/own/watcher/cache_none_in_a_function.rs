//! An event contains objects that are not cached.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

#[watcher(plain, cache = none)]
async fn repos(_event: Event<'_, GitRepository>) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    ui_tests::watch::<repos>();
}
