//! A type in the status that derives no schema.
use evenkeel::prelude::*;
use ui_tests::{BucketCondition, RepoError, bucket};

#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
struct Seen { at: String }

#[derive(kube::CustomResource, kube::KubeSchema, Clone, Debug, serde::Deserialize, serde::Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Mirror", namespaced, status = "MirrorStatus")]
struct MirrorSpec {}

#[status]
struct MirrorStatus { seen: Option<Seen> }

#[sub_reconciler(sets(bucket::BucketMade))]
async fn look(_mirror: &Mirror, _cx: &mut Cx) -> Result<(), RepoError> { Ok(()) }

#[reconciler(conditions = BucketCondition)]
async fn mirrors(mirror: &Mirror, cx: &mut Pass<'_>) -> PassResult {
    look(mirror, cx).await?;
    Ok(())
}

fn main() { ui_tests::run::<mirrors>(); }
