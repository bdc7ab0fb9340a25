//! What a CRD brings along: the scale subresource, defaults and pruning.

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use kube::api::{Patch, PatchParams};
use kube::{CustomResource, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A pool of workers.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "tests.evenkeel.dev",
    version = "v1",
    kind = "Pool",
    namespaced,
    status = "PoolStatus",
    scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas")
)]
struct PoolSpec {
    /// The number of workers.
    #[serde(default = "two")]
    replicas: i32,
}

fn two() -> i32 {
    2
}

#[evenkeel::status]
struct PoolStatus {
    /// The number of workers that run.
    replicas: Option<i32>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum PoolCondition {
    /// All workers run.
    #[condition(positive)]
    Running,
}

/// Starts the workers.
#[sub_reconciler(sets(on::Running))]
async fn start(pool: &Pool, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().replicas = Some(pool.spec.replicas);
    Ok(())
}

#[reconciler(conditions = PoolCondition)]
async fn pool(pool: &Pool, cx: &mut Pass<'_>) -> PassResult {
    start(pool, cx).await?;
    Ok(())
}

async fn a_scaled_object_is_reconciled_and_its_crd_sets_defaults_and_prunes(world: World) -> World {
    world.install(&evenkeel::crd::<pool>()).await;
    let running = world.operator::<pool>(());
    let (api_version, kind) = (Pool::api_version(&()), Pool::kind(&()));
    let metadata = json!({ "name": "p" });
    let object = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": { "unknown": 1 } });
    world.create::<Pool>(object).await;
    let stored = world.until::<Pool>("p", "reconciled", |pool| pool["status"]["replicas"] == 2).await;
    assert_eq!(stored["spec"], json!({ "replicas": 2 }), "with the default and without the unknown field");
    let patch = Patch::Merge(json!({ "spec": { "replicas": 5 } }));
    let pools = world.api::<Pool>();
    pools.patch_scale("p", &PatchParams::default(), &patch).await.unwrap();
    world.until::<Pool>("p", "scaled", |pool| pool["status"]["replicas"] == 5).await;
    let scale = pools.get_scale("p").await.unwrap();
    let replicas = (scale.spec.and_then(|spec| spec.replicas), scale.status.map(|status| status.replicas));
    assert_eq!(replicas, (Some(5), Some(5)));
    running.stop().await.unwrap();
    world
}

on_each_server!(a_scaled_object_is_reconciled_and_its_crd_sets_defaults_and_prunes);
