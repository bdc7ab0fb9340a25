//! A fresh object has a status without anything.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    pub revision: String,
}

fn main() {
    let _ = SomeStatus::default();
}
