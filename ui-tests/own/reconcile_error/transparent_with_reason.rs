//! A transparent variant has no settings of its own.
use evenkeel::ApiError;
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Failed {
    #[error(transparent)]
    #[class(transparent, reason = "Broken", retry = "fast")]
    Call(#[from] ApiError),
}

fn main() {
    let _: fn(&Failed) -> &'static str = Failed::reason;
}
