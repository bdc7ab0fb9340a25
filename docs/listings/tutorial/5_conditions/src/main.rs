//! Chapter 5 of the tutorial: conditions that users can wait for.
#![allow(missing_docs, unreachable_pub, reason = "a program whose text is on a page of the tutorial")]

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use store::{Store, StoreFailed};

mod store;
#[cfg(test)]
mod tests;

/// A bucket of the object store.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "storage.example.com", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
#[x_kube(validation = Rule::new("oldSelf.bucket in ['', self.bucket]").message("the name of a bucket cannot be changed"))]
pub struct BucketSpec {
    /// The region of the store that holds the bucket.
    pub region: String,
    /// The name of a Secret whose key `user` gets access to the bucket.
    pub secret: String,
    /// The name of the bucket at the store; default: `<namespace>.<name>`.
    #[serde(default)]
    pub bucket: String,
}

/// The observed state of the bucket.
#[status]
pub struct BucketStatus {
    /// The identifier of the bucket at the store.
    pub id: Option<String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Usable(Created, Published)))]
pub enum BucketCondition {
    /// The region has a host.
    #[condition(positive)]
    Located,
    /// The Secret has a user name.
    #[condition(positive)]
    UserFound,
    /// The bucket exists at the store, and the user may use it.
    #[condition(positive)]
    Created,
    /// The ConfigMap of the bucket has its URL and the user name.
    #[condition(positive)]
    Published,
    /// The bucket has a copy in another region.
    #[condition(
        positive,
        reasons(
            Copied = "The copy is complete",
            CopyIncomplete = "The store is still copying",
            StoreFailed = "The store does not respond",
        )
    )]
    Replicated,
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

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum CreateError {
    /// The store has a bucket of this name that was not created for this object.
    ///
    /// Delete that bucket, or set `spec.bucket` of a new object to another name.
    #[error("the store has a bucket {0:?} of another owner")]
    #[class(waiting(poll = "5m"))]
    NameTaken(String),
    /// The store failed.
    #[error(transparent)]
    #[class(transient)]
    StoreFailed(#[from] StoreFailed),
    /// The API server failed.
    #[error(transparent)]
    #[class(transparent)]
    CallFailed(#[from] ApiError),
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ReplicateError {
    /// The store is still copying. This takes some seconds.
    #[error("the copy is not complete yet")]
    #[class(waiting(poll = "2s"))]
    CopyIncomplete,
    /// The store failed.
    #[error(transparent)]
    #[class(transient)]
    StoreFailed(#[from] StoreFailed),
}

/// Chooses the name of the bucket at the store.
#[claim]
pub async fn choose_name(bucket: &mut Bucket) -> Result<(), ApiError> {
    if bucket.spec.bucket.is_empty() {
        bucket.spec.bucket = format!("{}.{}", bucket.namespace().unwrap_or_default(), bucket.name_any());
    }
    Ok(())
}

/// Returns the name of the bucket at the store, and its owner there.
fn identity(bucket: &Bucket) -> (String, String) {
    (bucket.spec.bucket.clone(), bucket.uid().unwrap_or_default())
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

/// Creates the bucket, and lets the user use it.
#[sub_reconciler(sets(on::Created), external)]
pub async fn create(bucket: &Bucket, store: &Store, user: &str, cx: &mut Cx) -> Result<String, CreateError> {
    let (name, owner) = identity(bucket);
    let stored = store.create(&name, &owner).await?;
    if stored.owner != owner {
        return Err(CreateError::NameTaken(name));
    }
    cx.status().id = Some(stored.id.clone());
    cx.commit().await?;
    store.grant(&name, user).await?;
    Ok(stored.id)
}

/// Deletes the bucket.
#[cleanup(of = create)]
pub async fn delete(bucket: &Bucket, store: &Store, _cx: &mut Cx) -> Result<(), CreateError> {
    let (name, owner) = identity(bucket);
    Ok(store.delete(&name, &owner).await?)
}

/// Publishes the URL and the user name in a ConfigMap.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
pub async fn publish(bucket: &Bucket, url: String, user: String, cx: &mut Cx) -> Result<(), ApiError> {
    cx.export_config_map(&bucket.name_any(), [("url", url), ("user", user)]).await?;
    Ok(())
}

/// Waits until the store has copied the bucket to another region.
#[sub_reconciler(sets(on::Replicated))]
pub async fn replicate(bucket: &Bucket, store: &Store, cx: &mut Cx) -> Result<(), ReplicateError> {
    let (name, _) = identity(bucket);
    if !store.is_copied(&name).await? {
        return Err(ReplicateError::CopyIncomplete);
    }
    let message = format!("the store has two copies of the bucket {name}");
    cx.set(on::Replicated, ConditionStatus::True, "Copied", &message);
    cx.ready("Stored", message);
    Ok(())
}

#[reconciler(conditions = BucketCondition, requeue = "10m", claim = choose_name)]
pub async fn bucket(bucket: &Bucket, store: &Store, cx: &mut Pass<'_>) -> PassResult {
    let (host, user) = join(locate(bucket, cx), find_user(bucket, cx)).await?;
    let id = create(bucket, store, &user, cx).await?;
    publish(bucket, format!("https://{host}/{id}"), user, cx).await?;
    replicate(bucket, store, cx).await?;
    Ok(())
}

pub fn operator(store: Store) -> Operator {
    Operator::new("buckets").reconciler::<bucket>(store)
}

#[tokio::main]
async fn main() -> evenkeel::Result<()> {
    operator(Store::default()).run_cli().await
}
