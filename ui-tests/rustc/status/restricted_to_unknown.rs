//! The step of a restriction exists.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    #[status(step = stor)]
    pub revision: Option<String>,
}

fn main() {
    let _ = SomeStatus::default().revision;
}
