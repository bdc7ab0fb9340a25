//! A closed set of nothing.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative, reasons())]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
