//! The framework keeps the conditions.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    pub conditions: Vec<Condition>,
}

fn main() {
    let _ = SomeStatus::default().conditions;
}
