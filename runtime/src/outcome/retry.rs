//! The pace of retries, which the variant of an error sets.

use std::time::Duration;

/// The pace of retries for an error of class `transient`.
///
/// The variant sets it: `#[class(transient, retry = "fast")]`. The number of retries is not limited; use the class `stalled` for an error that a
/// retry cannot resolve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// After one second, doubling to 30 s; for something that is expected soon.
    Fast,
    /// After one second, doubling to ten minutes, or after the `retry = ..` of the reconciler.
    #[default]
    Slow,
    /// After the `requeue = ..` of the reconciler, or after an hour if it has none; for retries that are expensive and unlikely to succeed.
    VerySlow,
    /// After this time, which the `retry = policy` of a watcher returned.
    After(Duration),
}

impl Retry {
    /// The interval of `VerySlow` if the reconciler has no `requeue = ..`.
    pub(crate) const HOUR: Duration = Duration::from_secs(3600);
}
