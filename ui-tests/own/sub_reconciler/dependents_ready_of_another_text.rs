//! The text is one of `kinds`.
use evenkeel::dependents::{Dependents, ObjectStatus};
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use ui_tests::{BucketCondition, KeepError, Shop, bucket};

fn stored(_object: &Value) -> ObjectStatus {
    ObjectStatus::Current
}

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap, ready("apps/v1/Deployment" = stored)))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    Ok(cx.keep().await?)
}

#[reconciler(conditions = BucketCondition)]
async fn shop(shop: &Shop, cx: &mut Pass<'_>) -> PassResult {
    install(shop, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<shop>();
}
