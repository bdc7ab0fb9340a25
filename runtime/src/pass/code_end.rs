//! Runs the author's code within a time limit, and catches its panics.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use crate::outcome::{PassError, PassResult, panicked};
use crate::pipeline::state::PassState;
use crate::queue::meter::CutOff;

/// How the author's code ended.
pub(super) enum CodeEnd {
    Returned(PassResult),
    Panicked(String),
    TimedOut(Duration),
}

/// Runs the author's code and catches a panic. Drops the future after `limit`.
pub(super) async fn run_code(limit: Duration, body: impl Future<Output = PassResult>) -> CodeEnd {
    match tokio::time::timeout(limit, AssertUnwindSafe(body).catch_unwind()).await {
        Ok(Ok(flow)) => CodeEnd::Returned(flow),
        Ok(Err(panic)) => CodeEnd::Panicked(panicked(&*panic)),
        Err(_) => CodeEnd::TimedOut(limit),
    }
}

impl CodeEnd {
    pub(super) fn cut_off(&self) -> Option<CutOff> {
        match self {
            Self::Returned(_) => None,
            Self::Panicked(_) => Some(CutOff::Panic),
            Self::TimedOut(_) => Some(CutOff::TimeOut),
        }
    }

    /// The error that stopped the pipeline. A panic or a time-out is recorded on the step in which it happened.
    pub(super) fn error(self, state: &mut PassState) -> Option<PassError> {
        let error = match self {
            Self::Returned(flow) => return flow.err(),
            Self::Panicked(text) => state.cut_off("Panicked", &|part| format!("{part} panicked: {text}")),
            Self::TimedOut(limit) => state.cut_off("TimedOut", &|part| format!("{part} did not end within {limit:?}")),
        };
        Some(error)
    }
}
