//! Chapter 3 of the tutorial: waiting for a Secret.
#![allow(missing_docs, unreachable_pub, reason = "a program whose text is on a page of the tutorial")]

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;

#[cfg(test)]
mod tests;

/// A bucket of the object store.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "storage.example.com", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {
    /// The region of the store that holds the bucket.
    pub region: String,
    /// The name of a Secret whose key `user` gets access to the bucket.
    pub secret: String,
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
    /// The Secret has a user name.
    #[condition(positive)]
    UserFound,
    /// The ConfigMap of the bucket has its URL and the user name.
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

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum UserError {
    /// The Secret does not exist yet.
    ///
    /// Create the Secret that `spec.secret` names.
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    /// The Secret has no user name.
    ///
    /// Add the key `user` to the Secret.
    #[error(transparent)]
    #[class(waiting)]
    SecretIncomplete(#[from] Unfit<Secret>),
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

/// Reads the user name in the Secret.
#[sub_reconciler(sets(on::UserFound), watches(Secret, by_name))]
pub async fn find_user(bucket: &Bucket, cx: &mut Cx) -> Result<String, UserError> {
    let secret = cx.require::<Secret>(&bucket.spec.secret).await?;
    let user = secret.data.as_ref().and_then(|data| data.get("user"));
    let user = user.and_then(|user| String::from_utf8(user.0.clone()).ok());
    Ok(user.ok_or_else(|| cx.unfit(&secret, "it has no key user"))?)
}

/// Publishes the URL and the user name in a ConfigMap.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(bucket: &Bucket, host: String, user: String, cx: &mut Cx) -> Result<(), ApiError> {
    let url = format!("https://{host}/{}", bucket.name_any());
    cx.export_config_map(&bucket.name_any(), [("url", url), ("user", user)]).await?;
    Ok(())
}

#[reconciler(conditions = BucketCondition, requeue = "10m")]
pub async fn bucket(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    let (host, user) = join(locate(bucket, cx), find_user(bucket, cx)).await?;
    publish(bucket, host, user, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    Operator::new("buckets").reconciler::<bucket>(())
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    operator().run_cli().await
}
