//! Ready is the summary of all, and made by the framework.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Ready(Stored)))]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative)]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
