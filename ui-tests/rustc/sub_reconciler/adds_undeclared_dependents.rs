//! Watches and rules follow from the declared kinds.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    let mut wanted = cx.wanted();
    wanted.add(&Job::default());
    Ok(cx.converge(wanted).await?)
}

fn main() {
    let _ = install;
}
