//! A plain watcher remembers nothing.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher(plain, settled)]
impl Repos {
    async fn add(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
    async fn delete(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
