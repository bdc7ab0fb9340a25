//! A condition that is good and bad.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positive, negative)]
    Made,
}

fn main() {
    let _ = (<SomeCondition as ConditionSet>::NAME, some_condition::Made);
}
