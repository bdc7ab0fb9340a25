//! An object store in memory. In a program for users, the client of the real store has these methods.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

/// How long the store needs for the copy of a bucket.
const COPY: Duration = Duration::from_secs(3);

/// A bucket at the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The store chooses it.
    pub id: String,
    /// The text that the creator of the bucket gave.
    pub owner: String,
    pub user: Option<String>,
    created: Instant,
}

/// The buckets by their names.
pub type Buckets = BTreeMap<String, Stored>;

/// The store did not carry out the call.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store does not respond")]
pub struct StoreFailed;

#[derive(Clone, Debug, Default)]
pub struct Store {
    pub buckets: Arc<Mutex<Buckets>>,
    /// Lets a test disrupt the calls.
    #[cfg(test)]
    pub calls: evenkeel_testkit::SdkCalls,
}

impl Store {
    async fn call<T>(&self, name: &str, call: impl FnOnce(&mut Buckets) -> T) -> Result<T, StoreFailed> {
        let call = async { Ok(call(&mut *self.buckets.lock().map_err(|_| StoreFailed)?)) };
        #[cfg(test)]
        let call = async { self.calls.write(name, call).await.unwrap_or(Err(StoreFailed)) };
        #[cfg(not(test))]
        let _ = name;
        call.await
    }
}

impl Store {
    /// Creates a bucket if the name is free, and returns the bucket of this name.
    pub async fn create(&self, name: &str, owner: &str) -> Result<Stored, StoreFailed> {
        self.call("create", |buckets| {
            let id = format!("{name}-{}", buckets.len());
            let new = Stored { id, owner: owner.to_owned(), user: None, created: Instant::now() };
            buckets.entry(name.to_owned()).or_insert(new).clone()
        })
        .await
    }

    /// Lets a user use a bucket, and no other one.
    pub async fn grant(&self, name: &str, user: &str) -> Result<(), StoreFailed> {
        self.call("grant", |buckets| {
            if let Some(bucket) = buckets.get_mut(name) {
                bucket.user = Some(user.to_owned());
            }
        })
        .await
    }

    /// Returns whether another region has a copy of the bucket.
    pub async fn is_copied(&self, name: &str) -> Result<bool, StoreFailed> {
        self.call("is_copied", |buckets| buckets.get(name).is_some_and(|bucket| bucket.created.elapsed() >= COPY)).await
    }

    /// Deletes a bucket of this owner. It is no error if there is none.
    pub async fn delete(&self, name: &str, owner: &str) -> Result<(), StoreFailed> {
        self.call("delete", |buckets| buckets.retain(|key, bucket| key != name || bucket.owner != owner)).await
    }
}
