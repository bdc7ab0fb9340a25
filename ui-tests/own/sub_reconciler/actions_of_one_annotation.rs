//! Two actions have two annotations.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), actions(hard_reset, hardReset))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _fires = cx.requested("hardReset");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
