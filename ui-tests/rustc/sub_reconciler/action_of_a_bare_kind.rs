//! A one-shot action needs a status that is stored.
use evenkeel::{ApiError, Bare};
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum MapCondition {
    /// The map was checked.
    #[condition(positive)]
    Checked,
}

/// Checks the map.
#[sub_reconciler(sets(on::Checked), actions(again))]
async fn check_map(_map: &Bare<ConfigMap>, cx: &mut Cx<'_, check_map>) -> Result<(), ApiError> {
    let _ = cx.requested("again");
    Ok(())
}

fn main() {}
