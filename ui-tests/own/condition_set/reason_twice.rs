//! A closed set holds each once.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    #[condition(positive)]
    Stored,
    #[condition(negative, reasons(NewRevision, Corrupt = "Not readable", NewRevision))]
    Outdated,
}

fn main() {
    let _ = (on::Stored, on::Outdated);
}
