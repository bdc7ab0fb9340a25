//! Two operators of one name with different label selectors, each with its own Lease.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::operator::leader_id;
use evenkeel::prelude::*;
use evenkeel::{ApiError, Bare, Operator, ReconciledKind, Reconciler, Replicas};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Wire;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::{Value, json};

const SECOND: Duration = Duration::from_secs(1);
const FINALIZER: &str = "tests.evenkeel.dev/shards";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum RegisteredCondition {
    /// It is registered.
    #[condition(positive)]
    Registered,
}

#[sub_reconciler(sets(on::Registered), external)]
async fn register(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), ApiError> {
    lab.note(&format!("add {}", map.name_any()));
    Ok(())
}

#[cleanup(of = register)]
async fn unregister(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), ApiError> {
    lab.note(&format!("delete {}", map.name_any()));
    Ok(())
}

/// Registers maps outside of the cluster.
#[reconciler(conditions = RegisteredCondition)]
async fn registrar(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    register(map, lab, cx).await?;
    Ok(())
}

macro_rules! watcher {
    ($Watcher:ident, $($args:tt)*) => {
        struct $Watcher(Arc<Lab>);

        #[watcher($($args)*)]
        impl $Watcher {
            async fn sync(&self, map: &ConfigMap) -> Result<(), ApiError> {
                self.0.note(&format!("add {}", map.name_any()));
                Ok(())
            }

            async fn delete(&self, map: &ConfigMap) -> Result<(), ApiError> {
                self.0.note(&format!("delete {}", map.name_any()));
                Ok(())
            }
        }
    };
}

watcher!(Plain, plain);
watcher!(Marking, bare, finalizer = "tests.evenkeel.dev/shards", labels = "app", leave = "delete");

/// An operator for the objects with this label.
struct Shard {
    lab: Arc<Lab>,
    wire: Wire,
    running: Running,
}

impl Shard {
    fn start<R: Reconciler<Object: ReconciledKind>>(
        world: &World,
        label: &str,
        deps: impl Fn(Arc<Lab>) -> R::Deps,
    ) -> Self {
        let (lab, wire) = (Lab::at("a"), Wire::default());
        let namespace = Some(world.namespace.clone());
        let (lease, deadline, renew) = (5 * SECOND, 3 * SECOND, SECOND);
        let operator = Operator::new("shop")
            .test_client(wire.client(&world.client))
            .namespaces([&world.namespace])
            .label_selector(&format!("shard={label}"))
            .replicas_with(Replicas { lease, deadline, renew, namespace, ..Replicas::default() })
            .reconciler::<R>(deps(lab.clone()));
        Self { lab, wire, running: Running::start(operator) }
    }

    /// The writes to objects.
    fn writes(&self) -> usize {
        self.wire.count(|call| call.is_write() && call.path.contains("/configmaps"))
    }
}

fn a_map(name: &str, shard: &str) -> Value {
    let labels = json!({ "app": "x", "shard": shard });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": labels } })
}

async fn move_to(world: &World, name: &str, shard: Value) {
    world.merge::<ConfigMap>(name, json!({ "metadata": { "labels": { "shard": shard } } })).await;
}

/// The names of the leases that have a holder.
async fn leases(world: &World) -> BTreeSet<String> {
    let leases = world.api::<Lease>().list(&ListParams::default()).await.unwrap().items;
    let held = leases.into_iter().filter(|lease| {
        lease.spec.as_ref().is_some_and(|spec| spec.holder_identity.as_ref().is_some_and(|holder| !holder.is_empty()))
    });
    held.map(|lease| lease.name_any()).collect()
}

/// Both shards work for their own objects; one of them moves, changes and is deleted.
async fn takes_over<R: Reconciler<Object: ReconciledKind>>(
    world: &World,
    deps: impl Fn(Arc<Lab>) -> R::Deps + Copy,
) -> [Shard; 2] {
    world.create::<ConfigMap>(a_map("x", "a")).await;
    world.create::<ConfigMap>(a_map("y", "b")).await;
    world.create::<ConfigMap>(a_map("z", "c")).await;
    let shards = ["a", "b"].map(|label| Shard::start::<R>(world, label, deps));
    let [a, b] = &shards;
    a.lab.settles_at(&["add x"]).await;
    b.lab.settles_at(&["add y"]).await;
    let own = ["shard=a", "shard=b"].map(|selector| leader_id("shop", &[selector]));
    assert_eq!(leases(world).await, own.into());
    let writes = a.writes();
    move_to(world, "x", json!("b")).await;
    b.lab.settles_at(&["add y", "add x"]).await;
    world.delete::<ConfigMap>("x").await;
    b.lab.settles_at(&["add y", "add x", "delete x"]).await;
    world.until_gone::<ConfigMap>("x").await;
    assert_eq!(a.lab.log(), ["add x"], "the former shard does nothing");
    assert_eq!(a.writes(), writes);
    shards
}

async fn ends(world: World, shards: [Shard; 2]) -> World {
    for shard in shards {
        shard.running.stop().await.unwrap();
    }
    for name in ["y", "z"] {
        world.merge::<ConfigMap>(name, json!({ "metadata": { "finalizers": null } })).await;
    }
    world
}

async fn an_object_that_moves_to_another_shard_is_taken_over(world: World) -> World {
    let shards = takes_over::<registrar>(&world, |lab| lab).await;
    ends(world, shards).await
}

async fn a_watcher_with_finalizers_hands_an_object_over(world: World) -> World {
    let shards = takes_over::<Marking>(&world, Marking).await;
    // In no shard, an object keeps its finalizer. With its label it is deleted.
    move_to(&world, "y", Value::Null).await;
    world.delete::<ConfigMap>("y").await;
    world.quiet().await;
    assert_eq!(world.raw::<ConfigMap>("y").await["metadata"]["finalizers"], json!([FINALIZER]));
    move_to(&world, "y", json!("a")).await;
    world.until_gone::<ConfigMap>("y").await;
    assert_eq!(shards[0].lab.log(), ["add x", "delete y"]);
    // The labels of the watcher itself decide as ever.
    move_to(&world, "z", json!("a")).await;
    shards[0].lab.settles_at(&["add x", "delete y", "add z"]).await;
    world.merge::<ConfigMap>("z", json!({ "metadata": { "labels": { "app": null } } })).await;
    shards[0].lab.settles_at(&["add x", "delete y", "add z", "delete z"]).await;
    world.create::<ConfigMap>(a_map("y", "c")).await;
    ends(world, shards).await
}

async fn a_plain_watcher_hands_an_object_over(world: World) -> World {
    let shards = takes_over::<Plain>(&world, Plain).await;
    ends(world, shards).await
}

on_each_server!(
    an_object_that_moves_to_another_shard_is_taken_over,
    a_watcher_with_finalizers_hands_an_object_over,
    a_plain_watcher_hands_an_object_over
);
