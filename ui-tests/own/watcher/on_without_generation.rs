//! A change of the generation always counts.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher(on(labels))]
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
