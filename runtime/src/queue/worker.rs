//! The trait of what runs passes, and what a pass gets and returns.

use std::future::Future;

use futures::future::BoxFuture;

use super::key::Key;
use super::next::Next;
use crate::trigger::TriggerSet;

/// What is still to be done when a pass has ended and its slot is free.
pub(crate) type AfterPass = BoxFuture<'static, ()>;

/// A pass that has ended.
pub(crate) struct PassOutput {
    pub(crate) next: Next,
    pub(crate) tail: Option<AfterPass>,
    /// Errors that concern all objects alike: the back-off then is that of the server, not that of the object.
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
    /// Conflicts in a row.
    pub(crate) conflicts: u32,
}

/// Runs passes.
pub(crate) trait Worker: Send + Sync + 'static {
    /// Runs one pass. A panic counts as a failure of this key.
    fn run(&self, key: &Key, triggers: TriggerSet, attempt: Attempt) -> impl Future<Output = PassOutput> + Send;
}
