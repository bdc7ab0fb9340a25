//! Chapter 1 of the tutorial: a kind `Bucket`, and a ConfigMap for each object.
#![allow(missing_docs, unreachable_pub, reason = "a program whose text is on a page of the tutorial")]

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

#[cfg(test)]
mod tests;

/// A bucket of the object store.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "storage.example.com", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {
    /// The region of the store that holds the bucket.
    pub region: String,
}

/// The observed state of the bucket.
#[status]
pub struct BucketStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum BucketCondition {
    /// The ConfigMap of the bucket has its URL.
    #[condition(positive)]
    Published,
}

/// Publishes the URL of the bucket in a ConfigMap.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(bucket: &Bucket, cx: &mut Cx) -> Result<(), ApiError> {
    let url = format!("https://{}.objects.example.com/{}", bucket.spec.region, bucket.name_any());
    cx.export_config_map(&bucket.name_any(), [("url", url)]).await?;
    Ok(())
}

#[reconciler(conditions = BucketCondition, requeue = "10m")]
pub async fn bucket(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    publish(bucket, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("buckets").reconciler::<bucket>(())
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    operator().run_cli().await
}
