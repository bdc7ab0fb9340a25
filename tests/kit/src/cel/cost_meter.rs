//! What a rule costs while it runs: each part adds its price, and one that has spent too much comes to its end.

use kube_cel::cel::{ExecutionError, ResolveResult};

/// The most that one run of one expression may cost.
const RUN_LIMIT: u64 = 1_000_000;

/// What a server says of a run that cost too much.
pub(super) const CANCELLED: &str = "operation cancelled: actual cost limit exceeded";

/// What a run has spent.
#[derive(Debug, Default)]
pub(super) struct Meter(u64);

impl Meter {
    /// Adds to what is spent.
    ///
    /// # Errors
    /// That is now too much, see [`is_cancelled`].
    pub(super) fn pay(&mut self, cost: u64) -> Result<(), ExecutionError> {
        self.0 = self.0.saturating_add(cost);
        if self.0 > RUN_LIMIT { Err(ExecutionError::function_error("run", CANCELLED)) } else { Ok(()) }
    }

    pub(super) fn spent(&self) -> u64 {
        self.0
    }

    pub(super) fn give_back(&mut self, cost: u64) {
        self.0 = self.0.saturating_sub(cost);
    }
}

/// Whether the run came to an end because of its cost.
pub(super) fn is_cancelled(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { message, .. } if message == CANCELLED)
}

/// What a part gave, which may be an error that the run goes on over.
///
/// # Errors
/// The end of the run.
pub(super) fn endured(given: ResolveResult) -> Result<ResolveResult, ExecutionError> {
    match given {
        Err(error) if is_cancelled(&error) => Err(error),
        given => Ok(given),
    }
}
