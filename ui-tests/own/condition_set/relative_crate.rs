//! The runtime is found by an absolute path.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(crate = self::evenkeel)]
enum SomeCondition {
    #[condition(positive)]
    Made,
}

fn main() {
    let _ = (<SomeCondition as ConditionSet>::NAME, some_condition::Made);
}
