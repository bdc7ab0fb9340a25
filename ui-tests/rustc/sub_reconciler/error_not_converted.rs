//! The error of a call is not one of the step.
use evenkeel::prelude::*;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched))]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    std::fs::read("key")?;
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
