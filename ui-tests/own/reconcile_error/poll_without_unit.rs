//! A number is no duration.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = "30"))]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
