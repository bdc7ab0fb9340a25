//! What is declared is kept.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<(), KeepError> {
    let mut wanted = cx.wanted();
    wanted.add(&ConfigMap::default());
    Ok(())
}

fn main() {
    let _ = install;
}
