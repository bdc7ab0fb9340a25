//! The API server rejects the selector.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher(plain, labels = "team in web")]
impl Repos {
    async fn add(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
