//! Calls of an SDK as injection points.

use std::fmt;
use std::sync::Arc;

use super::injection_point::Point;
use super::interceptor::{Interception, Interceptor};
use crate::effect::Effect;

/// Makes any asynchronous call an injection point of a [sweep](super::Sweep), for example one of a cloud SDK.
///
/// The sweep fails or delays the call, crashes the operator before or after it, or loses its response. The call itself is
/// the author's: it goes to a fake, a local server or an emulator. [`Trial::sdk_calls`](super::Trial::sdk_calls) returns
/// this value; the default one passes every call through.
///
/// ```
/// use std::time::Duration;
/// use evenkeel_testkit::{SdkCalls, Sweep};
///
/// /// An error of the SDK.
/// #[derive(Debug)]
/// enum StoreError { NoSuchBucket, Unreachable }
///
/// async fn size(bucket: &str) -> Result<u64, StoreError> {
///     if bucket == "a" { Ok(7) } else { Err(StoreError::NoSuchBucket) }
/// }
///
/// /// The outer error is that of the sweep, the inner one that of the SDK.
/// async fn operator(calls: SdkCalls) -> Result<u64, StoreError> {
///     calls.read("size of a", size("a")).await.unwrap_or(Err(StoreError::Unreachable))
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let sweep = Sweep::new().run(async |trial| {
///     let calls = trial.sdk_calls();
///     trial.operate(move |_| operator(calls.clone()));
///     tokio::time::sleep(Duration::from_secs(1)).await;
/// });
/// sweep.await.assert_converged();
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SdkCalls {
    /// `None` outside a trial: no call fails.
    interceptor: Option<Arc<Interceptor>>,
}

/// The error of a call to a system outside the cluster that the sweep disrupted.
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

impl SdkCalls {
    pub(super) fn intercepted(interceptor: &Arc<Interceptor>) -> Self {
        Self { interceptor: Some(Arc::clone(interceptor)) }
    }

    /// Runs a call that only reads. `what` names the call in the report of the sweep; calls with one name are counted together.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn read<F: Future>(&self, what: &str, call: F) -> Result<F::Output, Refused> {
        self.run(Point::external(format!("external {what}"), false), call).await
    }

    /// Runs a call that may change something. In addition to the disruptions of a read, its response may be lost, or the
    /// operator may crash, after the call has been carried out.
    ///
    /// # Errors
    /// Returns [`Refused`] if the sweep injects a fault into this call.
    pub async fn write<F: Future>(&self, what: &str, call: F) -> Result<F::Output, Refused> {
        self.run(Point::external(format!("external {what}"), true), call).await
    }

    async fn run<F: Future>(&self, point: Point, call: F) -> Result<F::Output, Refused> {
        let Some(interceptor) = &self.interceptor else { return Ok(call.await) };
        let interception = interceptor.intercept(interceptor.life(), point);
        match &interception {
            Interception::Lost | Interception::Fault(Effect::Hang) => std::future::pending().await,
            Interception::Fault(Effect::Latency(time)) => tokio::time::sleep(*time).await,
            Interception::Fault(Effect::LostAnswer) | Interception::Pass | Interception::LostAfter => {}
            Interception::Fault(_) => return Err(Refused),
        }
        let done = call.await;
        match interception {
            Interception::LostAfter => {
                interceptor.crash();
                std::future::pending().await
            }
            Interception::Fault(Effect::LostAnswer) => Err(Refused),
            _ => Ok(done),
        }
    }
}
