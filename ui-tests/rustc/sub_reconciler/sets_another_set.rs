//! A condition of another set.
use evenkeel::prelude::*;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    cx.set(bucket::BucketMade, ConditionStatus::True, "Made", "");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
