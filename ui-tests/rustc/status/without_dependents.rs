//! The kinds are stored before the first object is created.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{Bucket, KeepError, bucket};

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap))]
async fn install(_shop: &Bucket, cx: &mut Cx) -> Result<Dependents, KeepError> {
    let wanted = cx.wanted();
    Ok(cx.converge(wanted).await?)
}

fn main() {
    let _ = install;
}
