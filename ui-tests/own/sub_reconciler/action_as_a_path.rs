//! An action is a name.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), actions(on::force))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _seen = cx.status();
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
