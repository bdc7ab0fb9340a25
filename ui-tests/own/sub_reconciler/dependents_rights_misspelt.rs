//! The right is misspelt.
use evenkeel::dependents::Dependents;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{BucketCondition, KeepError, Shop, bucket};

#[sub_reconciler(sets(bucket::BucketMade), dependents(ConfigMap, rights(escalte)))]
async fn install(_shop: &Shop, cx: &mut Cx) -> Result<Dependents, KeepError> {
    let mut wanted = cx.wanted();
    wanted.add(&ConfigMap::default());
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = BucketCondition)]
async fn shop(shop: &Shop, cx: &mut Pass<'_>) -> PassResult {
    install(shop, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<shop>();
}
