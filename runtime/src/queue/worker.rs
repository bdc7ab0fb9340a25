//! The trait that runs passes, with their input and output.

use std::future::Future;
use std::time::Duration;

use futures::future::BoxFuture;

use super::key::Key;
use super::next::Next;
use crate::backoff::Backoff;
use crate::trigger::TriggerSet;

/// Work that is left after a pass has ended and its slot is free.
pub(crate) type AfterPass = BoxFuture<'static, ()>;

/// The result of a pass.
pub(crate) struct PassOutput {
    pub(crate) next: Next,
    pub(crate) tail: Option<AfterPass>,
    /// The errors concern the API server, not the object: a retry then uses [`Backoff::OUTAGE`](crate::backoff::Backoff::OUTAGE).
    pub(crate) outage: bool,
}

impl From<Next> for PassOutput {
    fn from(next: Next) -> Self {
        Self { next, tail: None, outage: false }
    }
}

/// How often a key has been tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Failures since the last progress.
    pub(crate) failures: u32,
    /// Consecutive conflicts.
    pub(crate) conflicts: u32,
}

/// Runs passes.
pub(crate) trait Worker: Send + Sync + 'static {
    /// Runs one pass. A panic counts as a failure of this key.
    fn run(&self, key: &Key, triggers: TriggerSet, attempt: Attempt) -> impl Future<Output = PassOutput> + Send;

    /// Whether the object exists, or has been reconciled here.
    fn is_known(&self, _key: &Key) -> bool {
        true
    }

    /// The uid of the object, for its shard; `None`: it is unknown.
    fn uid(&self, _key: &Key) -> Option<String> {
        None
    }

    /// What follows a pass that was dropped since another replica may be active. By default the key stays queued until a pass may start.
    fn dropped(&self, _key: &Key) -> Next {
        Next::Later(Duration::ZERO)
    }

    /// The delays between the retries of a failing key.
    fn backoff(&self) -> Backoff {
        Backoff::FAILURE
    }
}
