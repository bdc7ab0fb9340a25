//! State outside the cluster that the operator under test reads and writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sdk_calls::{Refused, SdkCalls};
use crate::lock::Mutex;

/// A fake external system, such as an object store or a DNS zone.
///
/// Its content is part of the end state that a [sweep](super::Sweep) compares. Each call is an injection point, like a
/// call to the API server: it may fail, it may be carried out without a response, or the operator may crash at it.
///
/// ```
/// # use evenkeel_testkit::ExternalState;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), evenkeel_testkit::Refused> {
/// let bucket = ExternalState::default();
/// bucket.put("a", "1").await?;
/// assert_eq!(bucket.get("a").await?.as_deref(), Some("1"));
/// bucket.remove("a").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExternalState {
    items: Arc<Mutex<BTreeMap<String, String>>>,
    calls: SdkCalls,
}

impl ExternalState {
    pub(super) fn intercepted(calls: SdkCalls) -> Self {
        Self { calls, ..Self::default() }
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn put(&self, name: &str, content: &str) -> Result<(), Refused> {
        let write = async { drop(self.items.lock().insert(name.to_owned(), content.to_owned())) };
        self.calls.write(&format!("put {name}"), write).await
    }

    /// Removes an item. A missing item is not an error.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn remove(&self, name: &str) -> Result<(), Refused> {
        self.calls.write(&format!("remove {name}"), async { drop(self.items.lock().remove(name)) }).await
    }

    /// Returns the content of an item, `None` if it does not exist.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn get(&self, name: &str) -> Result<Option<String>, Refused> {
        self.calls.read(&format!("get {name}"), async { self.items.lock().get(name).cloned() }).await
    }

    /// Lists all items, one per line.
    pub(super) fn listing(&self) -> String {
        self.items.lock().iter().map(|(name, content)| format!("{name}: {content}\n")).collect()
    }
}
