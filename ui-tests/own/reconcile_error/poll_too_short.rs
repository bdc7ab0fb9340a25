//! A poll time that would be clamped.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = "10ms"))]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
