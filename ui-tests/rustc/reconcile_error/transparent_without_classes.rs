//! The field of a transparent variant must have classes.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Failed {
    #[error(transparent)]
    #[class(transparent)]
    File(#[from] std::io::Error),
}

fn main() {
    let _: fn(&Failed) -> &'static str = Failed::reason;
}
