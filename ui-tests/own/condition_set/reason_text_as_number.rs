//! The text of a reason is a string.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RepoCondition {
    /// The remote was fetched.
    #[condition(positive, reasons(NewRevision = 3))]
    SourceFetched,
}

fn main() {
    let _ = on::SourceFetched;
}
