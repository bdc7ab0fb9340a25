//! The order of the variants is their rank.
use evenkeel::prelude::*;

#[derive(ConditionSet)]
#[condition_set(mod = made)]
enum Made {
    #[condition(positive)]
    BucketMade = 1,
}

fn main() {
    let _ = made::BucketMade;
    assert_eq!(<Made as ConditionSet>::NAME, "Made");
}
