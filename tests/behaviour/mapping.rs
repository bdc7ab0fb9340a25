//! Mapping functions: the reconciled objects that a watched object triggers.

use std::sync::Arc;

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{Api, DeleteParams, PostParams};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum QuotaCondition {
    /// The quotas were applied.
    #[condition(positive)]
    Applied,
}

/// The widgets that the map lists, by name or by namespace and name.
fn users_of(map: &ConfigMap) -> Vec<Reference> {
    let users = map.data.iter().flatten().find(|(key, _)| *key == "users");
    let users = users.map_or("", |(_, users)| users.as_str());
    assert!(users != "nobody", "a map for nobody");
    users.split(',').filter_map(|user| user.parse().ok()).collect()
}

/// Notes the maps that list the widget.
#[sub_reconciler(sets(on::Applied), watches(ConfigMap, labels = "quota=yes", map = users_of))]
async fn apply_quotas(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let maps: Vec<String> = cx.mapped::<ConfigMap>().await?.iter().map(ResourceExt::name_any).collect();
    lab.note(&format!("{}: {}", widget.name_any(), maps.join(",")));
    Ok(())
}

#[reconciler(conditions = QuotaCondition)]
async fn quotas(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    apply_quotas(widget, lab, cx).await?;
    Ok(())
}

fn a_map(name: &str, users: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "quota": "yes" } }, "data": { "users": users } })
}

async fn two_widgets(world: &World) {
    world.install(&definition()).await;
    for name in ["one", "two"] {
        world.create::<Widget>(a_widget(name, json!({}))).await;
    }
}

async fn a_watched_object_triggers_the_objects_that_it_maps_to(world: World) -> World {
    let lab = Lab::at("a");
    two_widgets(&world).await;
    let running = world.operator::<quotas>(lab.clone());
    lab.until_logged(&["one: ", "two: "]).await;
    world.create::<ConfigMap>(a_map("m", "one")).await;
    lab.until_logged(&["one: m"]).await;
    // The earlier object and the new one.
    world.merge::<ConfigMap>("m", json!({ "data": { "users": "two" } })).await;
    lab.until_logged(&["one: ", "two: m"]).await;
    world.merge::<ConfigMap>("m", json!({ "data": { "limit": "5" } })).await;
    lab.until_logged(&["two: m"]).await;
    // An object that does not exist is ignored until it does.
    world.merge::<ConfigMap>("m", json!({ "data": { "users": "missing" } })).await;
    lab.until_logged(&["two: "]).await;
    world.create::<Widget>(a_widget("missing", json!({}))).await;
    lab.until_logged(&["missing: m"]).await;
    // The function panics.
    world.merge::<ConfigMap>("m", json!({ "data": { "users": "nobody" } })).await;
    lab.until_logged(&["missing: "]).await;
    world.merge::<ConfigMap>("m", json!({ "data": { "users": "one,two" } })).await;
    lab.until_logged(&["one: m", "two: m"]).await;
    world.api::<ConfigMap>().delete("m", &DeleteParams::default()).await.unwrap();
    lab.until_logged(&["one: ", "two: "]).await;
    running.stop().await.unwrap();
    world
}

async fn a_restart_runs_only_objects_whose_mapping_changed_meanwhile(world: World) -> World {
    let lab = Lab::at("a");
    two_widgets(&world).await;
    world.create::<ConfigMap>(a_map("m", "one")).await;
    let running = world.operator::<quotas>(lab.clone());
    lab.until_logged(&["one: m", "two: "]).await;
    running.stop().await.unwrap();
    let running = world.operator::<quotas>(lab.clone());
    lab.until_logged(&[]).await;
    running.stop().await.unwrap();
    world.merge::<ConfigMap>("m", json!({ "data": { "users": "two" } })).await;
    let running = world.operator::<quotas>(lab.clone());
    lab.until_logged(&["one: ", "two: m"]).await;
    running.stop().await.unwrap();
    world
}

async fn an_object_maps_to_objects_of_another_namespace(world: World) -> World {
    let lab = Lab::at("a");
    two_widgets(&world).await;
    let other = world.another_namespace().await;
    let running = Running::start(world.prepare_in::<quotas>(&[&world.namespace, &other], lab.clone()));
    lab.until_logged(&["one: ", "two: "]).await;
    let there: Api<ConfigMap> = Api::namespaced(world.client.clone(), &other);
    let map = serde_json::from_value(a_map("far", &format!("{}/one,two", world.namespace))).unwrap();
    there.create(&PostParams::default(), &map).await.unwrap();
    // `two` without a namespace is the one beside the map, which does not exist.
    lab.until_logged(&["one: far"]).await;
    running.stop().await.unwrap();
    world
}

on_each_server!(
    a_watched_object_triggers_the_objects_that_it_maps_to,
    a_restart_runs_only_objects_whose_mapping_changed_meanwhile,
    an_object_maps_to_objects_of_another_namespace,
);
