//! A reason is a word, with a text at most.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    /// The remote was fetched.
    #[condition(positive, reasons(NewRevision(late), Corrupt))]
    SourceFetched,
}

fn main() {
    let _ = on::SourceFetched;
}
