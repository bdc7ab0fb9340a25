//! Whole objects are read before each call.
use evenkeel::Metadata;
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

#[watcher(plain, cache = none)]
impl Repos {
    async fn add(&self, _repo: &Metadata<GitRepository>) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
