//! State outside the cluster that the operator under test reads and writes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::injection_point::Point;
use super::interceptor::{Interception, Interceptor};
use crate::effect::Effect;

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
    /// `None` outside a trial: no call fails.
    interceptor: Option<Arc<Interceptor>>,
}

/// The error of a call to the external system.
///
/// A write may have been carried out nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the external system failed: injected by the sweep")
    }
}

impl std::error::Error for Refused {}

impl ExternalState {
    pub(super) fn intercepted(interceptor: &Arc<Interceptor>) -> Self {
        Self { interceptor: Some(Arc::clone(interceptor)), ..Self::default() }
    }

    /// Creates or replaces an item.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn put(&self, name: &str, content: &str) -> Result<(), Refused> {
        let write = |items: &mut BTreeMap<_, _>| drop(items.insert(name.to_owned(), content.to_owned()));
        self.call(format!("external put {name}"), true, write).await
    }

    /// Removes an item. A missing item is not an error.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn remove(&self, name: &str) -> Result<(), Refused> {
        self.call(format!("external remove {name}"), true, |items| drop(items.remove(name))).await
    }

    /// Returns the content of an item, `None` if it does not exist.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn get(&self, name: &str) -> Result<Option<String>, Refused> {
        self.call(format!("external get {name}"), false, |items| items.get(name).cloned()).await
    }

    async fn call<T>(
        &self,
        line: String,
        is_write: bool,
        act: impl FnOnce(&mut BTreeMap<String, String>) -> T,
    ) -> Result<T, Refused> {
        let Some(interceptor) = &self.interceptor else { return Ok(act(&mut self.lock())) };
        let interception = interceptor.intercept(interceptor.life(), Point::external(line, is_write));
        match &interception {
            Interception::Lost | Interception::Fault(Effect::Hang) => std::future::pending().await,
            Interception::Fault(Effect::Latency(time)) => tokio::time::sleep(*time).await,
            Interception::Fault(Effect::LostAnswer) | Interception::Pass | Interception::LostAfter => {}
            Interception::Fault(_) => return Err(Refused),
        }
        let done = act(&mut self.lock());
        match interception {
            Interception::LostAfter => {
                interceptor.crash();
                std::future::pending().await
            }
            Interception::Fault(Effect::LostAnswer) => Err(Refused),
            _ => Ok(done),
        }
    }

    /// Lists all items, one per line.
    pub(super) fn listing(&self) -> String {
        self.lock().iter().map(|(name, content)| format!("{name}: {content}\n")).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
