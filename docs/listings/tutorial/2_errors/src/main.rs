//! Chapter 2 of the tutorial: errors of the operator, and their classes.
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
    /// The region has a host.
    #[condition(positive)]
    Located,
    /// The ConfigMap of the bucket has its URL.
    #[condition(positive)]
    Published,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum LocateError {
    /// The store has no such region.
    ///
    /// Set `spec.region` to `north` or `south`.
    #[error("the store has no region {0:?}: use north or south")]
    #[class(stalled)]
    UnknownRegion(String),
}

/// Finds the host of the region.
#[sub_reconciler(sets(on::Located))]
pub async fn locate(bucket: &Bucket, _cx: &mut Cx) -> Result<String, LocateError> {
    let region = &bucket.spec.region;
    if !["north", "south"].contains(&region.as_str()) {
        return Err(LocateError::UnknownRegion(region.clone()));
    }
    Ok(format!("{region}.objects.example.com"))
}

/// Publishes the URL of the bucket in a ConfigMap.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(bucket: &Bucket, host: String, cx: &mut Cx) -> Result<(), ApiError> {
    let url = format!("https://{host}/{}", bucket.name_any());
    cx.export_config_map(&bucket.name_any(), [("url", url)]).await?;
    Ok(())
}

#[reconciler(conditions = BucketCondition, requeue = "10m")]
pub async fn bucket(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    let host = locate(bucket, cx).await?;
    publish(bucket, host, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("buckets").reconciler::<bucket>(())
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    operator().run_cli().await
}
