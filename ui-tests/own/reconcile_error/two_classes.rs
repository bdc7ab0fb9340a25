//! An error has one class.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, stalled)]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
