//! A summary of what is not declared.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Available(Stord)))]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative)]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
