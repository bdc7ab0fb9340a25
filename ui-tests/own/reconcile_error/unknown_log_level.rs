//! A level that the log does not have.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(stalled, log = "warning")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
