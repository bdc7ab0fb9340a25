//! A condition has a message, not data.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positive)]
    Made(String),
}

fn main() {
    let _ = (<SomeCondition as ConditionSet>::NAME, some_condition::Made);
}
