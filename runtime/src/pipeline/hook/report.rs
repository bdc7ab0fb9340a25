//! Reports of passes, for notifications and metrics.

use std::time::Duration;

use crate::outcome::Outcome;

/// The report of one pass.
///
/// There is no report for a short-circuit or for the pass of a suspended object.
///
/// If the status write fails, the report contains the outcome of the pass. The next pass may then report the same transition again.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The name of the reconciler: `git_repository`.
    pub reconciler: &'a str,
    /// The namespace of the object; `None` if its kind is cluster-scoped.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// The UID of the object.
    pub uid: &'a str,
    /// Whether the object was being deleted. Done then means that the finalizer is removed.
    pub deleting: bool,
    /// The outcome of the pass.
    pub outcome: &'a Outcome,
    /// The reason of the error, or of Ready if there is no error.
    pub reason: &'a str,
    /// The text of the error, or the message of Ready if there is no error.
    pub message: &'a str,
    /// Whether people should be notified: set by the [actions](crate::Actions) of the error or, without an error, on a recovery.
    ///
    /// An error sets this in every pass. To notify only once, check `transition` as well.
    pub notify: bool,
    /// Whether the summary changed: the status or the reason of Ready, or whether the object is stalled.
    pub transition: bool,
    /// Whether the object has recovered: a declared condition was bad before, or the object was stalled, and neither is the case now.
    pub recovery: bool,
    /// The time from the start of the body to the end of the status write.
    pub duration: Duration,
}

/// One of the operator's observers.
#[cfg(feature = "operator")]
pub(crate) type PassListener = std::sync::Arc<dyn Fn(&Report<'_>) + Send + Sync>;

/// Calls every observer. A panic in one of them is logged and does not affect the others.
#[cfg(feature = "operator")]
pub(crate) fn notify(listeners: &[PassListener], report: &Report<'_>) {
    for listener in listeners {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listener(report)));
        if let Err(panic) = result {
            let panic = crate::outcome::panicked(&*panic);
            tracing::error!(hook = "observe", panic, "an observer panicked; the other observers still run");
        }
    }
}
