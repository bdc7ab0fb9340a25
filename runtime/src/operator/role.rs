//! Whether this process works: always, or as the leader of several replicas.

use tokio_util::sync::CancellationToken;

use super::builder::Operator;
#[cfg(feature = "lease")]
use super::election::{self, Elected, Prepared};
use super::error::{Error, Result};
use super::shard_caches::Part;
#[cfg(feature = "lease")]
use super::shutdown;

/// The part of this process in its operator.
pub(super) struct Role {
    pub(super) part: Part,
    #[cfg(feature = "lease")]
    prepared: Option<Prepared>,
    #[cfg(feature = "lease")]
    elected: Option<Elected>,
}

#[cfg(feature = "lease")]
impl Role {
    /// Prepares the election, if there are replicas.
    ///
    /// # Errors
    /// Its settings contradict each other, or no cluster is configured.
    pub(super) async fn of(operator: &mut Operator) -> Result<Self> {
        let prepared = election::prepare(operator).await?;
        let part = prepared.as_ref().map_or_else(Part::all, |prepared| prepared.part.clone());
        Ok(Self { part, prepared, elected: None })
    }

    /// Contends from now on, until the stop. Call it once the caches are warm, so that a new leader can work at once.
    pub(super) fn start(&mut self, stop: &CancellationToken) {
        self.elected = self.prepared.take().map(|prepared| prepared.start(stop.clone()));
    }

    /// Waits until the operator must end: blocking work outlives a term, or the election has ended, which is a bug.
    pub(super) async fn ended(&mut self) -> Error {
        let Some(elected) = &mut self.elected else { return std::future::pending().await };
        tokio::select! {
            error = elected.ended() => error,
            work = self.part.gates.outlived() => shutdown::outlived(&work),
        }
    }

    /// Lets another replica take over at once.
    pub(super) async fn release(self) {
        if let Some(elected) = self.elected {
            elected.release().await;
        }
    }
}

#[cfg(not(feature = "lease"))]
#[expect(clippy::unused_async, clippy::unused_self, reason = "there is no election without the feature")]
impl Role {
    pub(super) async fn of(_operator: &mut Operator) -> Result<Self> {
        Ok(Self { part: Part::all() })
    }

    pub(super) fn start(&mut self, _stop: &CancellationToken) {}

    pub(super) async fn ended(&mut self) -> Error {
        std::future::pending().await
    }

    pub(super) async fn release(self) {}
}
