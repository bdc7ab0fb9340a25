//! The first finalizer of a bare watcher has a prefix.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher(bare, finalizer = "example.com/rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr")]
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
