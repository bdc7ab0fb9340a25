//! One call of a function: its time limit, and its panics.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;

use super::erased::{AnyObject, Called, Function};
use crate::pipeline::admission::meter::ReviewResult;
use crate::pipeline::admission::{DenialKind, Reads, ReviewRequest};
use crate::wiring::admission::AdmissionWiring;

/// How a call ended.
#[derive(Debug)]
pub(super) enum Ended {
    Returned(Called),
    Panicked,
    TimedOut,
}

impl Ended {
    pub(super) fn result(&self) -> ReviewResult {
        match self {
            Self::Panicked => ReviewResult::Panic,
            Self::TimedOut => ReviewResult::Timeout,
            Self::Returned(called) => match &called.returned {
                Err(denial) if matches!(denial.0, DenialKind::Unavailable(_)) => ReviewResult::Unavailable,
                Ok(()) if called.causes.is_empty() => ReviewResult::Allowed,
                Ok(()) | Err(_) => ReviewResult::Denied,
            },
        }
    }
}

/// Calls the function. It is dropped after nine tenths of the time for which the API server waits.
pub(super) async fn run(
    function: &Function,
    (object, old): (&mut AnyObject, Option<&AnyObject>),
    request: &ReviewRequest,
    reads: &dyn Reads,
) -> Ended {
    // All functions of an entry have one type.
    let Some(call) = function.0.call(object, old, request, reads) else { return Ended::Panicked };
    let guarded = AssertUnwindSafe(call).catch_unwind();
    match tokio::time::timeout(limit(function.wiring()), guarded).await {
        Ok(Ok(called)) => Ended::Returned(called),
        Ok(Err(_)) => Ended::Panicked,
        Err(_) => Ended::TimedOut,
    }
}

/// How long the function may take.
pub(super) fn limit(wiring: &AdmissionWiring) -> Duration {
    wiring.timeout * 9 / 10
}
