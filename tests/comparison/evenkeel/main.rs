//! The Bucket operator with evenkeel.
#![allow(missing_docs, unreachable_pub, reason = "a program of one file, for comparison")]

use std::time::Duration;

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use store::{Settings, Store, StoreError};

#[path = "../client/store.rs"]
mod store;

/// A bucket of the object store.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "storage.example.com", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {
    pub name: String,
    pub region: String,
    pub secret: String,
}

#[status]
pub struct BucketStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum BucketCondition {
    /// The Secret has a user.
    #[condition(positive)]
    SecretFound,
    /// The store has the bucket as its spec describes it.
    #[condition(positive)]
    Stored,
    /// The ConfigMap has the id and the user of the bucket.
    #[condition(positive)]
    Published,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum SecretError {
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(waiting)]
    SecretIncomplete(#[from] Unfit<Secret>),
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum KeepError {
    #[error("{0}")]
    #[class(stalled)]
    BucketRefused(StoreError),
    #[error("{0}")]
    #[class(waiting(poll = "5s"))]
    BucketNotEmpty(StoreError),
    #[error("{0}")]
    #[class(transient)]
    StoreFailed(StoreError),
}

impl From<StoreError> for KeepError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(_) => Self::BucketRefused(error),
            StoreError::NotEmpty(_) => Self::BucketNotEmpty(error),
            StoreError::Failed(_) => Self::StoreFailed(error),
        }
    }
}

#[sub_reconciler(sets(on::SecretFound), watches(Secret, by_name))]
pub async fn find_user(bucket: &Bucket, cx: &mut Cx) -> Result<String, SecretError> {
    let secret = cx.require::<Secret>(&bucket.spec.secret).await?;
    let user = secret.data.as_ref().and_then(|data| data.get("user"));
    let user = user.and_then(|user| String::from_utf8(user.0.clone()).ok());
    Ok(user.ok_or_else(|| cx.unfit(&secret, "it has no key user"))?)
}

#[sub_reconciler(sets(on::Stored), external)]
pub async fn keep(bucket: &Bucket, store: &Store, user: &str, _cx: &mut Cx) -> Result<String, KeepError> {
    let owner = bucket.uid().unwrap_or_default();
    let BucketSpec { name, region, .. } = bucket.spec.clone();
    let settings = Settings { name, region, user: user.to_owned() };
    let stored = match store.find(&owner).await? {
        None => store.create(&owner, &settings).await?,
        Some(stored) if stored.settings != settings => store.update(&stored.id, &settings).await?,
        Some(stored) => stored,
    };
    Ok(stored.id)
}

#[cleanup(of = keep)]
pub async fn remove(bucket: &Bucket, store: &Store, _cx: &mut Cx) -> Result<(), KeepError> {
    if let Some(stored) = store.find(&bucket.uid().unwrap_or_default()).await? {
        store.delete(&stored.id).await?;
    }
    Ok(())
}

#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(bucket: &Bucket, id: String, user: String, cx: &mut Cx) -> Result<(), ApiError> {
    cx.export_config_map(&bucket.name_any(), [("id", id), ("user", user)]).await?;
    Ok(())
}

fn interval(_bucket: &Bucket) -> Duration {
    let seconds = std::env::var("RESYNC_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(600))
}

#[reconciler(conditions = BucketCondition, requeue = interval)]
pub async fn bucket(bucket: &Bucket, store: &Store, cx: &mut Pass<'_>) -> PassResult {
    let user = find_user(bucket, cx).await?;
    let id = keep(bucket, store, &user, cx).await?;
    publish(bucket, id, user, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    let store = Store::new(std::env::var("STORE_URL").unwrap_or_default());
    Operator::new("buckets").reconciler::<bucket>(store).run_cli().await
}
