//! The world outside of the cluster, as an operator under test changes it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::injection_point::Point;
use super::interceptor::{Interception, Interceptor};
use crate::effect::Effect;

/// A store outside of the cluster, such as a bucket or a DNS zone: what an operator leaves there is part of how a scenario ends.
///
/// Each call is a point of the [sweep](super::Sweep), like one to the API server: it may fail, be carried out without an answer, or
/// be the last one of a life.
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
    things: Arc<Mutex<BTreeMap<String, String>>>,
    /// None: no trial, no trouble.
    interceptor: Option<Arc<Interceptor>>,
}

/// The outside did not answer as it should; a write may have been carried out all the same.
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

    /// Makes or replaces a thing.
    ///
    /// # Errors
    /// As the sweep wishes.
    pub async fn put(&self, name: &str, content: &str) -> Result<(), Refused> {
        let write = |things: &mut BTreeMap<_, _>| drop(things.insert(name.to_owned(), content.to_owned()));
        self.call(format!("external put {name}"), true, write).await
    }

    /// Takes a thing away; one that is not there is fine.
    ///
    /// # Errors
    /// As the sweep wishes.
    pub async fn remove(&self, name: &str) -> Result<(), Refused> {
        self.call(format!("external remove {name}"), true, |things| drop(things.remove(name))).await
    }

    /// Reads a thing.
    ///
    /// # Errors
    /// As the sweep wishes.
    pub async fn get(&self, name: &str) -> Result<Option<String>, Refused> {
        self.call(format!("external get {name}"), false, |things| things.get(name).cloned()).await
    }

    async fn call<T>(
        &self,
        line: String,
        is_write: bool,
        act: impl FnOnce(&mut BTreeMap<String, String>) -> T,
    ) -> Result<T, Refused> {
        let Some(interceptor) = &self.interceptor else { return Ok(act(&mut self.lock())) };
        let meeting = interceptor.intercept(interceptor.life(), Point::external(line, is_write));
        match &meeting {
            Interception::Lost | Interception::Fault(Effect::Hang) => std::future::pending().await,
            Interception::Fault(Effect::Latency(time)) => tokio::time::sleep(*time).await,
            Interception::Fault(Effect::LostAnswer) | Interception::Pass | Interception::LostAfter => {}
            Interception::Fault(_) => return Err(Refused),
        }
        let done = act(&mut self.lock());
        match meeting {
            Interception::LostAfter => {
                interceptor.crash();
                std::future::pending().await
            }
            Interception::Fault(Effect::LostAnswer) => Err(Refused),
            _ => Ok(done),
        }
    }

    /// What is there, a line each.
    pub(super) fn listing(&self) -> String {
        self.lock().iter().map(|(name, content)| format!("{name}: {content}\n")).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
