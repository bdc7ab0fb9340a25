//! Dependents are declared.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    Ok(cx.keep().await?)
}

fn main() {
    let _ = install;
}
