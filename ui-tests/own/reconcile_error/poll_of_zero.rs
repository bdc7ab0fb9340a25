//! Polling without a pause.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = "0s"))]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
