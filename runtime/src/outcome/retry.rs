//! How soon an error is tried again, as its variant says.

#[cfg(feature = "operator")]
use std::time::Duration;

/// How soon an error of class `transient` is tried again; an attribute of its variant: `#[class(transient, retry = "fast")]`. It is
/// tried for ever: an error that is not worth another try is `stalled`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// After one second, doubling to 30 s: what it lacks is about to come.
    Fast,
    /// As failures are: after one second, doubling to ten minutes, or after the `retry = ..` of the reconciler.
    #[default]
    Slow,
    /// When the `requeue = ..` of the reconciler has passed; after an hour where it has none. A try costs more than it is likely to find.
    VerySlow,
}

impl Retry {
    /// The interval of `VerySlow` where the reconciler has none.
    #[cfg(feature = "operator")]
    pub(crate) const HOUR: Duration = Duration::from_secs(3600);
}
