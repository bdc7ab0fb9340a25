//! Ready, Reconciling and Stalled are computed: there is no call to set them.
use evenkeel::prelude::*;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(on::Stalled, ConditionStatus::True, "Done", "");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
