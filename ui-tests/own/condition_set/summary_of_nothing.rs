//! A summary needs something to sum up.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Available))]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative)]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
