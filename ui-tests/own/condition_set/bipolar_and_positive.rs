//! Bipolar is a polarity of its own.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(positive, bipolar)]
    SourceVerified,
}

fn main() {
    let _ = on::SourceVerified;
}
