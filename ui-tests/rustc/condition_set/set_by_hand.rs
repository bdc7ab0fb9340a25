//! A set that is written by hand keeps the rules of the derive.
use evenkeel::condition::{ConditionInfo, ConditionMarker, ConditionSet, Polarity};
use evenkeel::prelude::*;
use ui_tests::{Bucket, RepoError};

#[derive(Clone, Copy)]
struct Twice;
const MADE: ConditionInfo = ConditionInfo::new("Made", Polarity::Positive);
impl ConditionSet for Twice {
    const NAME: &'static str = "Twice";
    const CONDITIONS: &'static [ConditionInfo] = &[MADE, MADE];
    const MARKERS: &'static str = "twice";
}
impl evenkeel::bounds::IsSet for Twice { type Set = Self; }
impl ConditionMarker for Twice { type Set = Self; const INDEX: usize = 0; }

#[sub_reconciler(sets(Twice))]
async fn make(_bucket: &Bucket, _cx: &mut Cx) -> Result<(), RepoError> { Ok(()) }

#[reconciler(conditions = Twice)]
async fn buckets(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    make(bucket, cx).await?;
    Ok(())
}
fn main() {}
