//! A status without `#[status]`, of an object that is reconciled.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, RepoError, bucket};

#[derive(kube::CustomResource, schemars::JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
struct MirrorSpec {}

#[derive(schemars::JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
struct MirrorStatus { conditions: Vec<Condition>, seen: Option<u32> }

#[sub_reconciler(sets(bucket::BucketMade))]
async fn look(mirror: &Mirror, cx: &mut Cx) -> Result<(), RepoError> {
    cx.status().seen = mirror.status.as_ref().and_then(|status| status.seen);
    Ok(())
}

#[reconciler(conditions = BucketCondition)]
async fn mirrors(mirror: &Mirror, cx: &mut Pass<'_>) -> PassResult {
    look(mirror, cx).await?;
    Ok(())
}

fn main() { ui_tests::run::<mirrors>(); }
