//! A transparent variant holds one error.
use evenkeel::ApiError;
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Failed {
    #[error("{1}: {0}")]
    #[class(transparent)]
    Call(ApiError, String),
}

fn main() {
    let _: fn(&Failed) -> &'static str = Failed::reason;
}
