//! The step of a restriction is a step.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    #[status(step = String)]
    pub revision: Option<String>,
}

fn main() {
    let _ = SomeStatus::default().revision;
}
