//! The name goes on the wire.
use evenkeel::prelude::*;

#[allow(non_camel_case_types)]
#[derive(ConditionSet)]
enum SomeCondition {
    #[condition(positive)]
    pods_ready,
}

fn main() {
    let _ = some_condition::pods_ready;
}
