//! When a key runs again, as the end of a pass decides.

use std::time::Duration;

use super::backoff::Backoff;

/// When a key runs again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// When something changes.
    Await,
    /// After exactly this time; whoever computes it applies the jitter.
    After(Duration),
    /// After exactly this time, but not to run the body: the digest of the last pass is to be stored.
    Store(Duration),
    /// After exactly this time, for the same triggers: the pass was put off. A try that is due before runs when it is due.
    Later(Duration),
    /// Along the back-off curve of the key, for ever.
    Retry {
        /// The curve starts anew.
        progressed: bool,
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// Along this curve, for ever, instead of that of the key.
    RetryAlong {
        /// The curve starts anew.
        progressed: bool,
        /// The curve.
        curve: Backoff,
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// The pass ended before it could do anything: along the back-off curve of the key, and with what only the wake-up told.
    NotStarted {
        /// Not before this time has passed (`Retry-After`).
        at_least: Option<Duration>,
    },
    /// A write met a newer version: as soon as the cache holds another one than this, or after 50 ms doubling to 5 s, with the same
    /// triggers. Not a failure: the back-off stays as it is.
    Conflict {
        /// The version that was refused.
        newer_than: String,
    },
    /// The object is gone: nothing is remembered of the key.
    Forget,
}

impl Next {
    /// Whether the pass did not end well, and is tried again for that.
    pub(crate) const fn failed(&self) -> bool {
        matches!(self, Self::Retry { .. } | Self::NotStarted { .. } | Self::RetryAlong { .. })
    }
}
