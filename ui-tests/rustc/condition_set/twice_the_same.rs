//! A list keyed by type holds each once.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positive)]
    Made,
    #[condition(negative)]
    Made,
}

fn main() {
    let _ = some_condition::Made;
}
