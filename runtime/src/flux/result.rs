//! The result of a run, and the next action of the runtime.

use std::time::Duration;

use super::Error;

/// The result of a step or a run.
///
/// The results of several steps are folded in this order: `Requeue` over `Success` over `Empty`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReconcileResult {
    /// No result.
    #[default]
    Empty,
    /// The goal is reached.
    Success,
    /// Requeue immediately, with rate limiting.
    Requeue,
}

impl ReconcileResult {
    /// Folds two results into the one that requeues sooner: `LowestRequeuingResult`.
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

/// The result of a step or a run: Go's `(Result, error)`, but only one of the two.
///
/// A result together with an error cannot be expressed. The Go runtime ignores the result; the Go list runner loses the error.
pub type Reconciled = Result<ReconcileResult, Error>;

/// The next action of the runtime: `ctrl.Result`, in which at most one field counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuntimeResult {
    /// Wait for a change.
    #[default]
    Await,
    /// Requeue with rate limiting.
    Requeue,
    /// Requeue after this time.
    After(Duration),
}

impl RuntimeResult {
    /// Requeues after this time. Zero means [`Await`](Self::Await), so it never causes a busy loop.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        if time.is_zero() { Self::Await } else { Self::After(time) }
    }
}

#[cfg(feature = "operator")]
impl RuntimeResult {
    /// Converts to the action of a `kube::runtime::Controller`. It has no rate limiter, so `Requeue` waits for `backoff`.
    #[must_use]
    pub fn action(self, backoff: Duration) -> kube::runtime::controller::Action {
        match self {
            Self::Await => kube::runtime::controller::Action::await_change(),
            Self::Requeue => kube::runtime::controller::Action::requeue(backoff),
            Self::After(time) => kube::runtime::controller::Action::requeue(time),
        }
    }
}
