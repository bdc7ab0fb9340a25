//! The runtime cost of a rule: each part of the expression adds its cost, and evaluation stops at the limit.

use kube_cel::cel::{ExecutionError, ResolveResult};

/// Maximum cost of one evaluation of one expression.
const RUN_LIMIT: u64 = 1_000_000;

/// The error message of a server if an evaluation costs too much.
pub(super) const CANCELLED: &str = "operation cancelled: actual cost limit exceeded";

/// The accumulated cost of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Meter(u64);

impl Meter {
    /// Adds to the accumulated cost.
    ///
    /// # Errors
    /// If the total exceeds the limit, see [`is_cancelled`].
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

/// Whether the evaluation stopped because of its cost.
pub(super) fn is_cancelled(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { message, .. } if message == CANCELLED)
}

/// Returns the result of a part, even if it is an error that the evaluation tolerates.
///
/// # Errors
/// If the error is the cost limit, which ends the evaluation.
pub(super) fn endured(given: ResolveResult) -> Result<ResolveResult, ExecutionError> {
    match given {
        Err(error) if is_cancelled(&error) => Err(error),
        given => Ok(given),
    }
}
