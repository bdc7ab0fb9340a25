//! Kubernetes takes ASCII only.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = made)]
enum Made {
    #[condition(positive)]
    Überführt,
}

fn main() {
    assert_eq!(<Made as ConditionSet>::NAME, "Made");
}
