//! A ConfigMap has no conditions.
use evenkeel::Bare;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{BucketCondition, RepoError, bucket};

#[sub_reconciler(sets(bucket::BucketMade))]
async fn make(_: &Bare<ConfigMap>, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = BucketCondition, bare_status(conditions = "example.com"))]
async fn maps(map: &Bare<ConfigMap>, cx: &mut Pass<'_>) -> PassResult {
    make(map, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<maps>();
}
