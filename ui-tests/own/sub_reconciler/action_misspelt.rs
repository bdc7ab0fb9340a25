//! An action is asked for as it is declared.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), actions(force))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _fires = cx.requested("forse");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
