//! A severity that there is not.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, severity = "warn")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
