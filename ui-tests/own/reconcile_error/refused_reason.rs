//! The API server checks the grammar of reasons.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, reason = "very busy")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
