//! Then it would be stalled.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, retry = "none")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
