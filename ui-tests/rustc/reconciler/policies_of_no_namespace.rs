//! There is no namespace to ask.
use evenkeel::prelude::*;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Zone", status = "ZoneStatus")]
pub struct ZoneSpec {}

#[evenkeel::status]
pub struct ZoneStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = is)]
enum ZoneCondition { #[condition(positive)] Known }

#[sub_reconciler(sets(is::Known))]
async fn know(_zone: &Zone, _cx: &mut Cx) -> Result<(), ApiError> { Ok(()) }

#[reconciler(conditions = ZoneCondition, policies(namespace, unobserved))]
async fn zones(zone: &Zone, cx: &mut Pass<'_>) -> PassResult {
    know(zone, cx).await?;
    Ok(())
}

fn main() { ui_tests::run::<zones>(); }
