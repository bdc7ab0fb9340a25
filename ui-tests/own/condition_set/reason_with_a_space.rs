//! A reason is one word.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative, reasons(New Revision))]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
