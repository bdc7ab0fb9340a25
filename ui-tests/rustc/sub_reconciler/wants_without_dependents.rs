//! Dependents are declared.
use evenkeel::prelude::*;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<(), KeepError> {
    let _ = cx.wanted();
    Ok(())
}

fn main() {
    let _ = install;
}
