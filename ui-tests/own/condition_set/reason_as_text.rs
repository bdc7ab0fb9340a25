//! A reason is written like a name.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative, reasons("new revision"))]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
