//! Success would make nothing True.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(negative)]
    FetchFailed,
    #[condition(bipolar)]
    SourceVerified,
}

fn main() {
    let _ = (on::FetchFailed, on::SourceVerified);
}
