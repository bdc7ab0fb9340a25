//! A method can fail.
use evenkeel::prelude::*;
use ui_tests::{GitRepository};

struct Repos;

#[watcher(plain)]
impl Repos {
    async fn add(&self, _repo: &GitRepository) {}
}

fn main() {
    ui_tests::watch::<Repos>();
}
