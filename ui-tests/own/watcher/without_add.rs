//! A watcher handles new objects.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher]
impl Repos {
    async fn delete(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
