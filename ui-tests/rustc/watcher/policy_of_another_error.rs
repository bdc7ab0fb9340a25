//! The retry policy takes the error of the methods.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

fn pace(_error: &std::fmt::Error, _tries: u32) -> Option<std::time::Duration> {
    None
}

#[watcher(retry = pace, requeue = "1h")]
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
