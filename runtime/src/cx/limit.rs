//! The time-out of a step: after it, the future is dropped.

use std::future::Future;
use std::time::Duration;

use tracing::instrument::Instrumented;

/// The future of a step: what it returns, or that it did not end in time.
#[cfg(feature = "operator")]
pub(crate) type Bounded<F> = tokio::time::Timeout<Instrumented<F>>;

/// The future of a step. Types only: nothing runs.
#[cfg(not(feature = "operator"))]
pub(crate) type Bounded<F> = futures::future::Map<
    Instrumented<F>,
    fn(<F as Future>::Output) -> Result<<F as Future>::Output, std::convert::Infallible>,
>;

#[cfg(feature = "operator")]
pub(super) fn within<F: Future>(limit: Option<Duration>, step: Instrumented<F>) -> Bounded<F> {
    tokio::time::timeout(limit.unwrap_or(Duration::MAX), step)
}

#[cfg(not(feature = "operator"))]
pub(super) fn within<F: Future>(_limit: Option<Duration>, step: Instrumented<F>) -> Bounded<F> {
    futures::FutureExt::map(step, Ok)
}
