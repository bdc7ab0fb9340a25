//! When a key runs again, as decided at the end of a pass.

use std::time::Duration;

use crate::backoff::Backoff;

/// When a key runs again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// When something changes.
    Await,
    /// After exactly this time; the caller applies the jitter.
    After(Duration),
    /// After exactly this time, not to run the body but to store the digest of the last pass.
    Store(Duration),
    /// After exactly this time, with the same triggers: the pass was deferred. A retry that is due earlier runs when it is due.
    Later(Duration),
    /// With the back-off curve of the key, without limit.
    Retry {
        /// Resets the curve.
        progressed: bool,
        /// The minimum delay (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// With this curve instead of that of the key, without limit.
    RetryAlong {
        /// Resets the curve.
        progressed: bool,
        /// The curve.
        curve: Backoff,
        /// The minimum delay (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// The pass ended before it could do anything: retried with the back-off curve of the key, with the transient triggers of that pass.
    NotStarted {
        /// The minimum delay (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// A write met a newer version. Runs with the same triggers once the cache holds a newer version than this, or after 50 ms doubling to
    /// 5 s. Not a failure: the back-off is unchanged.
    Conflict {
        /// The version that was refused.
        newer_than: String,
    },
    /// The object is gone: the entry of the key is removed.
    Forget,
}

impl Next {
    /// Whether the pass failed and is retried.
    pub(crate) const fn failed(&self) -> bool {
        matches!(self, Self::Retry { .. } | Self::NotStarted { .. } | Self::RetryAlong { .. })
    }
}
