//! Dependents are read from the cache, so their kind has to be cached.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    let dependents = cx.keep().await?;
    let _ = cx.dependent::<ConfigMap>(&dependents, "web");
    Ok(dependents)
}

fn main() {
    let _ = install;
}
