//! A field that is no time.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = self.0))]
    Busy(String),
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy(String::new()));
}
