//! A step is named by its path.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    #[status(step = "store")]
    pub revision: Option<String>,
}

fn main() {
    let _ = SomeStatus::default().revision;
}
