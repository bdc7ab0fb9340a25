//! A set of nothing.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
enum SomeCondition {}

fn main() {
    let _ = <SomeCondition as ConditionSet>::NAME;
}
