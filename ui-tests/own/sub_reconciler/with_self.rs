//! A step is a free function.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError};

struct Repos;

impl Repos {
    #[sub_reconciler(sets(ui_tests::on::SourceFetched))]
    async fn fetch(&self, _repo: &GitRepository, _cx: &mut Cx<'_, ui_tests::fetch>) -> Result<(), RepoError> {
        Ok(())
    }
}

fn main() {
    let _ = Repos::fetch;
}
