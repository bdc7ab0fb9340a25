//! A polarity that there is not.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positiv)]
    Made,
}

fn main() {
    let _ = (<SomeCondition as ConditionSet>::NAME, some_condition::Made);
}
