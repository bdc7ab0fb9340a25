//! Reports of passes, for notifications and metrics.

use std::time::Duration;

use crate::outcome::Outcome;

/// How one pass ended. Passes of which the body did not run (the short-circuit, a suspended object) have none.
///
/// A pass of which the status could not be written reports its own outcome, and may be reported as a transition again when it runs
/// anew.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The name of the reconciler: `git_repository`.
    pub reconciler: &'a str,
    /// The namespace of the object, if its kind has any.
    pub namespace: Option<&'a str>,
    /// The name of the object.
    pub name: &'a str,
    /// The UID of the object.
    pub uid: &'a str,
    /// Whether the object was about to be deleted; Done then means that the finalizer is off.
    pub deleting: bool,
    /// How the pass ended.
    pub outcome: &'a Outcome,
    /// The reason of the error, or that of Ready where there is none.
    pub reason: &'a str,
    /// The text of the error, or that of Ready where there is none.
    pub message: &'a str,
    /// Whether people should be told, as the [actions](crate::Actions) of the error say; without an error, on a recovery. Errors come
    /// again with every pass: tell on a transition.
    pub notify: bool,
    /// Whether the summary changed: the status or the reason of Ready, or whether the object is stalled.
    pub transition: bool,
    /// Whether a failure is over: a declared condition was bad before, or the object was stalled, and now nothing of the kind is.
    pub recovery: bool,
    /// From the start of the body to the end of the status write.
    pub duration: Duration,
}

/// One of the operator's observers.
#[cfg(feature = "operator")]
pub(crate) type PassListener = std::sync::Arc<dyn Fn(&Report<'_>) + Send + Sync>;

/// Tells every observer. A panic of one is logged and hurts nobody else.
#[cfg(feature = "operator")]
pub(crate) fn notify(listeners: &[PassListener], report: &Report<'_>) {
    for listener in listeners {
        let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listener(report)));
        if let Err(panic) = told {
            let panic = crate::outcome::panicked(&*panic);
            tracing::error!(hook = "observe", panic, "an observer panicked; the others are still told");
        }
    }
}
