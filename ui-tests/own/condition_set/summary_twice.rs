//! A list keyed by type holds each once.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Available(Stored), Available(Stored, Outdated)))]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative)]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
