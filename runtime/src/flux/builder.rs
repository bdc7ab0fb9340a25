//! Computes the next action of the runtime from the result of a run.

use std::time::Duration;

use super::{Kind, ReconcileResult, Reconciled, RuntimeResult};

/// Computes the next action after a run, and what counts as success.
/// Implement it for other rules, for example in a reconciler that only reacts to events.
pub trait ResultBuilder {
    /// The next action of the runtime. It is ignored if the runtime also gets an error.
    fn build(&self, reconciled: &Reconciled) -> RuntimeResult;

    /// Whether the run was a success. Gets the result itself, so it need not infer success from a duration.
    fn is_success(&self, reconciled: &Reconciled) -> bool {
        match reconciled {
            Ok(result) => *result == ReconcileResult::Success,
            Err(error) => error.is_ignored(),
        }
    }
}

/// Requeues after a success, at a fixed interval.
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
    /// The delay after a success. The caller applies the jitter.
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
