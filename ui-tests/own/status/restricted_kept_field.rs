//! The framework writes its fields.
use evenkeel::prelude::*;

#[status]
pub struct SomeStatus {
    #[status(step = store)]
    pub conditions: Vec<Condition>,
}

fn main() {
    let _ = SomeStatus::default().conditions;
}
