//! It is not tried again.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(stalled, retry = "fast")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
