//! The framework must know what to do about an error.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
