//! A pace that there is not.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, retry = "faster")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
