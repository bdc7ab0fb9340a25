//! A class that there is not.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transiant)]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
