//! A status without `#[status]`, where the runtime has another name.
mod vendor { pub use evenkeel as keel; }
use ui_tests::{BucketCondition, RepoError, bucket};
use vendor::keel::prelude::*;

#[derive(kube::CustomResource, schemars::JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
struct MirrorSpec {}

#[derive(schemars::JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
struct MirrorStatus {}

#[sub_reconciler(sets(bucket::BucketMade), crate = crate::vendor::keel)]
async fn look(_mirror: &Mirror, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = BucketCondition, crate = crate::vendor::keel)]
async fn mirrors(mirror: &Mirror, cx: &mut Pass<'_>) -> PassResult {
    look(mirror, cx).await?;
    Ok(())
}

fn main() { ui_tests::run::<mirrors>(); }
