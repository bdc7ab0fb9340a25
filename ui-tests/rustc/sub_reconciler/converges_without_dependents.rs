//! Dependents are declared.
use evenkeel::dependents::{Dependents, Wanted};
use evenkeel::prelude::*;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn install(_shop: &Shop, wanted: Wanted<install>, cx: &mut Cx) -> Result<Dependents, KeepError> {
    Ok(cx.converge(wanted).await?)
}

fn main() {
    let _ = install;
}
