//! An object that is given up is tried again.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

fn pace(_error: &RepoError, _tries: u32) -> Option<std::time::Duration> {
    None
}

#[watcher(retry = pace)]
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
