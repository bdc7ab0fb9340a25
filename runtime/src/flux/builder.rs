//! From what a run came to, to what the runtime does next.

use std::time::Duration;

use super::{Kind, ReconcileResult, Reconciled, RuntimeResult};

/// Says what the runtime does after a run, and what success is. Replaceable: a reconciler that only reacts to events has its own.
pub trait ResultBuilder {
    /// What the runtime does next. Beside an error that it gets, the runtime looks at nothing else.
    fn build(&self, reconciled: &Reconciled) -> RuntimeResult;

    /// Whether the run was a success. It is told what happened and need not guess it from a duration.
    fn is_success(&self, reconciled: &Reconciled) -> bool {
        match reconciled {
            Ok(result) => *result == ReconcileResult::Success,
            Err(error) => error.is_ignored(),
        }
    }
}

/// After a success, runs again after an interval.
///
/// ```
/// use evenkeel::flux::{AlwaysRequeue, Error, ReconcileResult, ResultBuilder, RuntimeResult};
/// use std::time::Duration;
///
/// let builder = AlwaysRequeue { interval: Duration::from_secs(60) };
/// assert_eq!(builder.build(&Ok(ReconcileResult::Success)), RuntimeResult::After(Duration::from_secs(60)));
/// // The same interval, and yet no success.
/// let waiting = Err(Error::waiting("NotYet", Duration::from_secs(60), "no secret"));
/// assert_eq!(builder.build(&waiting), RuntimeResult::After(Duration::from_secs(60)));
/// assert!(!builder.is_success(&waiting));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlwaysRequeue {
    /// How long after a success. Jitter is applied before it comes here.
    pub interval: Duration,
}

impl ResultBuilder for AlwaysRequeue {
    fn build(&self, reconciled: &Reconciled) -> RuntimeResult {
        match reconciled {
            Ok(ReconcileResult::Empty) => RuntimeResult::Await,
            Ok(ReconcileResult::Requeue) => RuntimeResult::Requeue,
            Ok(ReconcileResult::Success) => RuntimeResult::after(self.interval),
            Err(error) => match error.kind() {
                Kind::Waiting(Duration::ZERO) => RuntimeResult::after(self.interval),
                Kind::Waiting(time) => RuntimeResult::After(time),
                _ if error.is_ignored() => RuntimeResult::after(self.interval),
                _ => RuntimeResult::Await,
            },
        }
    }
}
