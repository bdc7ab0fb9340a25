//! One step writes a restricted field.
use evenkeel::prelude::*;
use ui_tests::{fetch, store};

#[status]
pub struct SomeStatus {
    #[status(step = store)]
    #[status(step = fetch)]
    pub revision: Option<String>,
}

fn main() {
    let _ = (SomeStatus::default().revision, fetch, store);
}
