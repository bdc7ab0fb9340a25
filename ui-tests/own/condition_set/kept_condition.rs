//! Ready is the summary, and not set by hand.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positive)]
    Ready,
}

fn main() {
    let _ = some_condition::Ready;
}
