//! A transparent variant holds the error whose class it has.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
enum Failed {
    #[error("the objects are not as they should be")]
    #[class(transparent)]
    Dependents,
}

fn main() {
    let _: fn(&Failed) -> &'static str = Failed::reason;
}
