//! A flag in quotes.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(stalled, notify = "no")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
