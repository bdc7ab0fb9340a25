//! A status has fields.
use evenkeel::prelude::*;

#[status]
pub enum SomeStatus {
    Fresh,
}

fn main() {
    let _ = SomeStatus::Fresh;
}
