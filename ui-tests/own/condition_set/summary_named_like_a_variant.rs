//! A summary is a condition of its own.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Stored(Outdated, Stored)))]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative)]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
