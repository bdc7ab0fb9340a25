//! A word that there is not.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(transient, notfy = false)]
    Busy,
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy);
}
