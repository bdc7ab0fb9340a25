//! A condition does not say which status is the good one.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    Made,
}

fn main() {
    let _ = (<SomeCondition as ConditionSet>::NAME, some_condition::Made);
}
