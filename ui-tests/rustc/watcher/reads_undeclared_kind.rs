//! A method reads only what the attribute declares.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

use k8s_openapi::api::core::v1::Secret;

struct Repos;

#[watcher]
impl Repos {
    async fn add(&self, _repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
        cx.get::<Secret>("token").await?;
        Ok(())
    }
    async fn delete(&self, _repo: &GitRepository) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    ui_tests::watch::<Repos>();
}
