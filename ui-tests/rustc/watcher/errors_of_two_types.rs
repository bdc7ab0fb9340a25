//! All methods return one error.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher]
impl Repos {
    async fn add(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
    async fn delete(&self, _repo: &GitRepository) -> Result<(), evenkeel::ApiError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
