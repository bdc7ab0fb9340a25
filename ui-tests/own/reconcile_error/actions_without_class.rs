//! What is told, but not what is done.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(event = "none")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
