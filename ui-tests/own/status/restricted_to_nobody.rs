//! A restriction names the step.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    #[status]
    pub revision: Option<String>,
}

fn main() {
    let _ = SomeStatus::default().revision;
}
