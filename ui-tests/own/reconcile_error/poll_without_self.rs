//! A field, but not of the variant.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SomeError {
    #[error("busy")]
    #[class(waiting(poll = after))]
    Busy { after: Interval },
}

fn main() {
    let _ = ReconcileError::class(&SomeError::Busy { after: std::time::Duration::from_secs(5).into() });
}
