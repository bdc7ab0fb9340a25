//! `manages` reads texts.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{KeepError, Shop, bucket};

fn types(_shop: &Shop) -> Vec<i32> {
    Vec::new()
}

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap, manages = types))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    Ok(cx.keep().await?)
}

fn main() {
    let _ = install;
}
