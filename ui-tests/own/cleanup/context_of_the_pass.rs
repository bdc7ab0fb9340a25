//! A cleanup has the context of its step.
use evenkeel::prelude::*;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched), external)]
async fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[cleanup(of = make)]
async fn unmake(_repo: &GitRepository, _cx: &mut Pass<'_>) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<make>();
}
