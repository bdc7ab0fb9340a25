//! It is a mere word.
use evenkeel::prelude::*;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched), external = true)]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
