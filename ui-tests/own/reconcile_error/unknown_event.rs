//! An event type that there is not.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, event = "warn")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
