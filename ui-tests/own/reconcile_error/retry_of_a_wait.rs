//! A wait says when to look again.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = "1m"), retry = "fast")]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
