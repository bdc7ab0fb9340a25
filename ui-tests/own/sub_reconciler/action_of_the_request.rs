//! The request has no second annotation.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), actions(requested))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _fires = cx.requested("requested");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
