//! Reconcilers that select their objects by labels, by fields or by a function.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Bare};
use evenkeel_tests::listener::{listening, objects};
use evenkeel_tests::on_each_server;
use evenkeel_tests::pod::a_pod;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SeenCondition {
    /// The map was seen.
    #[condition(positive)]
    Seen,
}

/// Notes the map.
#[sub_reconciler(sets(on::Seen))]
async fn see(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, see>) -> Result<(), ApiError> {
    lab.note(&format!("see {}", map.name_any()));
    Ok(())
}

#[reconciler(conditions = SeenCondition, labels = "tier in (web, db), !off")]
async fn labelled(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see(map, lab, cx).await?;
    Ok(())
}

/// Selects maps with the key `mine`; panics at the key `panic`.
fn is_mine(map: &Bare<ConfigMap>) -> bool {
    let has = |key: &str| map.data.as_ref().is_some_and(|data| data.contains_key(key));
    assert!(!has("panic"), "as the test wished");
    has("mine")
}

#[reconciler(conditions = SeenCondition, filter = is_mine)]
async fn filtered(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see(map, lab, cx).await?;
    Ok(())
}

/// Registers the map outside of the cluster.
#[sub_reconciler(sets(on::Seen), external)]
async fn register(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), ApiError> {
    lab.note(&format!("register {}", map.name_any()));
    Ok(())
}

#[cleanup(of = register)]
async fn unregister(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), ApiError> {
    lab.note(&format!("unregister {}", map.name_any()));
    Ok(())
}

#[reconciler(conditions = SeenCondition, labels = "tier=web")]
async fn registrar(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    register(map, lab, cx).await?;
    Ok(())
}

fn a_map(name: &str, labels: &Value, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": labels }, "data": data })
}

async fn only_objects_with_the_labels_are_watched(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("out", &json!({}), &json!({}))).await;
    world.create::<ConfigMap>(a_map("web", &json!({ "tier": "web" }), &json!({}))).await;
    let running = world.operator::<labelled>(lab.clone());
    lab.settles_at(&["see web"]).await;
    let watches =
        world.wire.calls().into_iter().filter(|call| call.path.contains("/configmaps") && call.method == "GET");
    let all = watches.map(|call| call.query).collect::<Vec<_>>();
    assert!(!all.is_empty() && all.iter().all(|path| path.contains("labelSelector=tier")), "{all:?}");
    // It joins the selection, leaves it, and changes outside of it.
    let label = |value: Value| json!({ "metadata": { "labels": value } });
    world.merge::<ConfigMap>("out", label(json!({ "tier": "db" }))).await;
    lab.settles_at(&["see web", "see out"]).await;
    world.merge::<ConfigMap>("out", label(json!({ "off": "yes" }))).await;
    world.merge::<ConfigMap>("out", json!({ "data": { "k": "1" } })).await;
    lab.settles_at(&["see web", "see out"]).await;
    running.stop().await.unwrap();
    world
}

async fn an_object_that_left_the_selection_is_cleaned_up(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("out", &json!({}), &json!({}))).await;
    world.create::<ConfigMap>(a_map("web", &json!({ "tier": "web" }), &json!({}))).await;
    let running = world.operator::<registrar>(lab.clone());
    lab.settles_at(&["register web"]).await;
    world.merge::<ConfigMap>("web", json!({ "metadata": { "labels": null }, "data": { "k": "1" } })).await;
    lab.settles_at(&["register web"]).await;
    world.delete::<ConfigMap>("web").await;
    world.until_gone::<ConfigMap>("web").await;
    lab.settles_at(&["register web", "unregister web"]).await;
    world.delete::<ConfigMap>("out").await;
    world.until_gone::<ConfigMap>("out").await;
    running.stop().await.unwrap();
    world
}

async fn the_filter_selects_objects_and_its_panic_loses_none(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({}), &json!({ "mine": "1" }))).await;
    world.create::<ConfigMap>(a_map("b", &json!({}), &json!({}))).await;
    let (operator, address) = listening(world.prepare::<filtered>(lab.clone()));
    let running = Running::start(operator);
    lab.settles_at(&["see a"]).await;
    // The debug page lists only selected objects.
    let shown = || async { objects(address, "").await.iter().map(|object| object["name"].clone()).collect::<Vec<_>>() };
    assert_eq!(shown().await, ["a"]);
    world.merge::<ConfigMap>("b", json!({ "data": { "mine": "1" } })).await;
    lab.settles_at(&["see a", "see b"]).await;
    world.merge::<ConfigMap>("b", json!({ "data": { "mine": null } })).await;
    lab.settles_at(&["see a", "see b"]).await;
    assert_eq!(shown().await, ["a"]);
    world.create::<ConfigMap>(a_map("c", &json!({}), &json!({ "panic": "1" }))).await;
    lab.settles_at(&["see a", "see b", "see c"]).await;
    running.stop().await.unwrap();
    world
}

/// Notes the Secrets of a type.
#[sub_reconciler(sets(on::Seen), watches(Secret, labels = "!off", fields = "type=example.com/login"))]
async fn see_pod(pod: &Bare<Pod>, lab: &Arc<Lab>, cx: &mut Cx<'_, see_pod>) -> Result<(), ApiError> {
    let secrets: Vec<String> = cx.list::<Secret>().await?.iter().map(ResourceExt::name_any).collect();
    lab.note(&format!("{}: {}", pod.name_any(), secrets.join(",")));
    Ok(())
}

#[reconciler(conditions = SeenCondition, fields = "status.phase=Succeeded")]
async fn ended(pod: &Bare<Pod>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_pod(pod, lab, cx).await?;
    Ok(())
}

async fn set_phase(world: &World, name: &str, phase: &str) {
    let patch = Patch::Merge(json!({ "status": { "phase": phase } }));
    world.api::<Pod>().patch_status(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn only_objects_with_the_fields_are_watched(world: World) -> World {
    let lab = Lab::at("a");
    for name in ["one", "two"] {
        world.create::<Pod>(a_pod(name)).await;
    }
    set_phase(&world, "one", "Succeeded").await;
    for (name, type_) in [("login", "example.com/login"), ("other", "Opaque")] {
        world.create::<Secret>(json!({ "metadata": { "name": name }, "type": type_ })).await;
    }
    let running = world.operator::<ended>(lab.clone());
    lab.until_logged(&["one: login"]).await;
    set_phase(&world, "two", "Succeeded").await;
    lab.until_logged(&["two: login"]).await;
    set_phase(&world, "one", "Running").await;
    // The watches of two kinds are independent: without a pause the Secret may arrive before the end of the selection.
    world.quiet().await;
    world.create::<Secret>(json!({ "metadata": { "name": "more" }, "type": "example.com/login" })).await;
    lab.until_logged(&["two: login,more"]).await;
    // It no longer matches the labels.
    world.merge::<Secret>("login", json!({ "metadata": { "labels": { "off": "" } } })).await;
    lab.until_logged(&["two: more"]).await;
    running.stop().await.unwrap();
    world
}

on_each_server!(
    only_objects_with_the_fields_are_watched,
    only_objects_with_the_labels_are_watched,
    an_object_that_left_the_selection_is_cleaned_up,
    the_filter_selects_objects_and_its_panic_loses_none,
);
