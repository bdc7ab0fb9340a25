//! A wait that nothing ends.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting)]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
