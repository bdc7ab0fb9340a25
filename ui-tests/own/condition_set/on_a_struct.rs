//! Conditions are variants.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
struct SomeCondition {
    made: bool,
}

fn main() {
    let _ = SomeCondition { made: true };
}
