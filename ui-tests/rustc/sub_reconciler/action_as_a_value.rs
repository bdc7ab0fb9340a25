//! The attribute finds only literals.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), actions(force))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let action = "force";
    let _fires = cx.requested(action);
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
