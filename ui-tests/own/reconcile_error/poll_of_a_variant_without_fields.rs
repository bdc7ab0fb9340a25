//! A field of nothing.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = self.after))]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
