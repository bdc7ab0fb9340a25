//! A new version of an operator in which the operator, the reconciler and the step have other names.

use evenkeel::Operator;
use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::{calls, named};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Ship", namespaced, status = "ShipStatus")]
pub(crate) struct ShipSpec {
    /// The names of its config maps.
    cargo: Vec<String>,
}

#[status(dependents)]
pub(crate) struct ShipStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum ShipCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum ShipError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

fn fill<S>(ship: &Ship, wanted: &mut evenkeel::dependents::Wanted<S>)
where
    ConfigMap: evenkeel::dependents::DependentOf<S>,
    S: evenkeel::SubReconciler,
{
    for name in &ship.spec.cargo {
        let value = if name == "kept" { "2" } else { "1" };
        wanted.add::<ConfigMap>(&named(name, &json!({ "data": { "value": value } })));
    }
    wanted.add::<ConfigMap>(&named("once", &json!({}))).purge_order(0);
}

/// The first version.
#[sub_reconciler(sets(on::Applied), dependents(ConfigMap))]
async fn load(ship: &Ship, cx: &mut Cx) -> Result<Dependents, ShipError> {
    let mut wanted = cx.wanted();
    fill(ship, &mut wanted);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShipCondition)]
pub(crate) async fn vessel(ship: &Ship, cx: &mut Pass<'_>) -> PassResult {
    load(ship, cx).await?;
    Ok(())
}

/// The second version.
#[sub_reconciler(sets(on::Applied), dependents(ConfigMap, adopt = never, previously(steps("load"))))]
async fn stow(ship: &Ship, cx: &mut Cx) -> Result<Dependents, ShipError> {
    let mut wanted = cx.wanted();
    fill(ship, &mut wanted);
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShipCondition, previously(reconcilers("vessel")))]
pub(crate) async fn ship(ship: &Ship, cx: &mut Pass<'_>) -> PassResult {
    stow(ship, cx).await?;
    Ok(())
}

on_each_server!(renamed_functions_and_a_renamed_operator_keep_their_objects, marks_may_have_another_domain);

async fn create(world: &World) {
    let ship = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Ship", "metadata": { "name": "a" },
        "spec": { "cargo": ["kept", "dropped"] } });
    world.create::<Ship>(ship).await;
}

/// An operator of this name with the second version.
fn second(world: &World, name: &str) -> Operator {
    world.wire.observers().know::<ship>();
    let operator = Operator::new(name).client(world.wire.client(&world.client)).namespaces([&*world.namespace]);
    operator.reconciler::<ship>(())
}

async fn renamed_functions_and_a_renamed_operator_keep_their_objects(world: World) -> World {
    world.install(&Ship::crd()).await;
    let first = world.operator::<vessel>(());
    create(&world).await;
    world.until::<Ship>("a", "ready", is_ready).await;
    let kept = world.api::<ConfigMap>().get("kept").await.unwrap();
    first.stop().await.unwrap();
    world.merge::<Ship>("a", json!({ "spec": { "cargo": ["kept"] } })).await;
    let running = Running::start(second(&world, "fleet").previously(["tester"]));
    world.until_gone::<ConfigMap>("dropped").await;
    let is_new = |ship: &Value| is_ready(ship) && ship["status"]["observedGeneration"] == 2;
    let ship = world.until::<Ship>("a", "ready", is_new).await;
    // The set has its new name, and still knows what was purged.
    let sets = ship["status"]["dependents"].as_object().unwrap();
    assert_eq!(sets.keys().collect::<Vec<_>>(), ["ship/stow"], "{ship}");
    assert!(sets["ship/stow"]["completed"].as_object().is_some_and(|completed| completed.len() == 1), "{ship}");
    let created = calls(&world).iter().filter(|call| *call == "PATCH configmaps/once").count();
    assert_eq!(created, 1, "{:?}", calls(&world));
    assert_eq!(ship["metadata"]["finalizers"], json!(["tests.evenkeel.dev/fleet"]));
    // The object is the same, with the new names only.
    let map = world.api::<ConfigMap>().get("kept").await.unwrap();
    assert_eq!(map.metadata.uid, kept.metadata.uid);
    assert_eq!(map.labels()["evenkeel.dev/operator"], "fleet");
    let owner = format!("Ship.tests.evenkeel.dev/{0}/a/ship/stow for ConfigMap/{0}/kept", world.namespace);
    assert_eq!(map.annotations()["evenkeel.dev/owner"], owner);
    let managers: Vec<_> = map.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
    assert_eq!(managers, ["fleet/ship"]);
    let stored = ship["metadata"]["managedFields"].as_array().unwrap();
    let of_status = stored.iter().filter(|entry| !entry["fieldsV1"]["f:status"].is_null());
    let managers: Vec<_> = of_status.map(|entry| entry["manager"].as_str()).collect();
    assert_eq!(managers, [Some("fleet/ship")], "{ship}");
    // Nothing is left to do.
    world.quiet().await;
    let before = world.writes();
    world.merge::<Ship>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } })).await;
    world.until::<Ship>("a", "handled", |ship| ship["status"]["lastHandledReconcileAt"] == "now").await;
    assert_eq!(world.writes(), before + 1, "{:?}", calls(&world));
    world.delete::<Ship>("a").await;
    world.until_gone::<Ship>("a").await;
    assert!(world.api::<ConfigMap>().get_opt("kept").await.unwrap().is_none());
    running.stop().await.unwrap();
    world
}

async fn marks_may_have_another_domain(world: World) -> World {
    world.install(&Ship::crd()).await;
    let running = Running::start(second(&world, "fleet").marks("corp.example"));
    create(&world).await;
    let ship = world.until::<Ship>("a", "ready", is_ready).await;
    assert_eq!(ship["status"]["dependents"]["ship/stow"]["marks"], "corp.example");
    let map = world.api::<ConfigMap>().get("kept").await.unwrap();
    let keys: Vec<&String> = map.labels().keys().chain(map.annotations().keys()).collect();
    let expected = ["dependent-of", "operator", "applied", "owner"].map(|name| format!("corp.example/{name}"));
    assert_eq!(keys, expected.iter().collect::<Vec<_>>());
    // It is found by these marks.
    world.merge::<ConfigMap>("kept", json!({ "data": { "value": "other" } })).await;
    world.until::<ConfigMap>("kept", "corrected", |map| map["data"]["value"] == "2").await;
    running.stop().await.unwrap();
    // An operator that looks for other marks writes nothing.
    let running = Running::start(second(&world, "fleet"));
    world.merge::<Ship>("a", json!({ "spec": { "cargo": ["kept"] } })).await;
    let text =
        "the objects of the set ship/stow have marks under corp.example, and the operator marks under evenkeel.dev";
    world.until::<Ship>("a", text, |ship| message(ship, "Applied").starts_with(text)).await;
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("dropped").await.unwrap().is_some());
    running.stop().await.unwrap();
    let running = Running::start(second(&world, "fleet").marks("corp.example"));
    world.delete::<Ship>("a").await;
    world.until_gone::<Ship>("a").await;
    for map in ["kept", "dropped"] {
        assert!(world.api::<ConfigMap>().get_opt(map).await.unwrap().is_none(), "{map}");
    }
    running.stop().await.unwrap();
    world
}
