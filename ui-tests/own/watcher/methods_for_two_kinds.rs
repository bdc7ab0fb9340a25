//! All methods are for one kind.
use evenkeel::prelude::*;
use ui_tests::{Bucket, GitRepository, RepoError};

struct Repos;

#[watcher]
impl Repos {
    async fn add(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
    async fn delete(&self, _repo: &Bucket) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
