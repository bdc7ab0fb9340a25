//! A kind of others has no status of ours.
use evenkeel::prelude::*;
use ui_tests::{RepoError};

use k8s_openapi::api::core::v1::Secret;

struct Repos;

#[watcher(settled)]
impl Repos {
    async fn add(&self, _repo: &Secret) -> Result<(), RepoError> {
        Ok(())
    }
    async fn delete(&self, _repo: &Secret) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
