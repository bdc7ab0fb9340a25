//! A wait that nothing ends.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("no such secret: {0}")]
    #[class(waiting)]
    SecretMissing(String),
}

fn main() {
    let _ = ReconcileError::class(&SomeError::SecretMissing(String::new()));
}
