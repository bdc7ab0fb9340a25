//! What a run came to, and what the runtime is told about it.

use std::time::Duration;

use super::Error;

/// What a step, or a whole run, came to.
///
/// The order is the one in which results of several steps are folded: `Requeue` beats `Success`, and that beats `Empty`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReconcileResult {
    /// No opinion.
    #[default]
    Empty,
    /// The goal is reached.
    Success,
    /// To be run again at once, through the rate limiter.
    Requeue,
}

impl ReconcileResult {
    /// Folds two results into the one that asks for more: `LowestRequeuingResult`.
    ///
    /// ```
    /// use evenkeel::flux::ReconcileResult::{Empty, Requeue, Success};
    /// assert_eq!(Empty.lowest_requeuing(Success), Success);
    /// assert_eq!([Success, Requeue, Empty].into_iter().max(), Some(Requeue));
    /// ```
    #[must_use]
    pub fn lowest_requeuing(self, other: Self) -> Self {
        self.max(other)
    }
}

/// What a step returns, and what a run ends with: Go's `(Result, error)`, of which only one half ever meant something.
///
/// A result next to an error is not representable; Go's runtime ignored it, and its list runner lost the error.
pub type Reconciled = Result<ReconcileResult, Error>;

/// What the runtime does next: `ctrl.Result`, of which at most one field ever counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuntimeResult {
    /// Nothing, until something changes.
    #[default]
    Await,
    /// Run again through the rate limiter.
    Requeue,
    /// Run again after this time.
    After(Duration),
}

impl RuntimeResult {
    /// Run again after this time. None at all is no time, and never a loop without a pause.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        if time.is_zero() { Self::Await } else { Self::After(time) }
    }
}

#[cfg(feature = "operator")]
impl RuntimeResult {
    /// The same for a `kube::runtime::Controller`, which has no rate limiter: `backoff` is the time that `Requeue` waits.
    #[must_use]
    pub fn action(self, backoff: Duration) -> kube::runtime::controller::Action {
        match self {
            Self::Await => kube::runtime::controller::Action::await_change(),
            Self::Requeue => kube::runtime::controller::Action::requeue(backoff),
            Self::After(time) => kube::runtime::controller::Action::requeue(time),
        }
    }
}
