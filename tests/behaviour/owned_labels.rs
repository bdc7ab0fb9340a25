//! Owned objects with labels (`owns(K, labels = "..")`): only they are watched.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, message, reason};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::core::ObjectMeta;
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum LabelledCondition {
    /// The map is published.
    #[condition(positive)]
    Published,
}

/// Applies a ConfigMap with the word of the spec as the value of the label `tier`, or leaves the labels to the framework.
#[sub_reconciler(sets(on::Published), owns(ConfigMap, labels = "app=web, tier=db"))]
async fn publish(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, publish>) -> Result<(), ApiError> {
    lab.note(&widget.name_any());
    let labels = widget.spec.fetch.clone().map(|word| [("tier".to_owned(), word)].into());
    let metadata = ObjectMeta { name: Some("settings".into()), labels, ..ObjectMeta::default() };
    cx.apply(&ConfigMap { metadata, ..ConfigMap::default() }).await.map(drop)
}

#[reconciler(conditions = LabelledCondition)]
async fn publisher(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    publish(widget, lab, cx).await?;
    Ok(())
}

async fn labels(world: &World) -> serde_json::Value {
    json!(world.api::<ConfigMap>().get("settings").await.unwrap().metadata.labels)
}

on_each_server!(an_owned_object_gets_the_labels_of_its_watch, another_value_of_a_declared_label_is_an_error);

async fn an_owned_object_gets_the_labels_of_its_watch(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<publisher>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(labels(&world).await, json!({ "app": "web", "tier": "db" }));
    let reads =
        world.wire.calls().into_iter().filter(|call| call.method == "GET" && call.path.ends_with("/configmaps"));
    let queries: Vec<String> = reads.map(|call| call.query).collect();
    assert!(!queries.is_empty() && queries.iter().all(|query| query.contains("labelSelector=app")), "{queries:?}");
    // Another client removes a label: the object leaves the watch, and the step restores it.
    world.merge::<ConfigMap>("settings", json!({ "metadata": { "labels": { "app": null } } })).await;
    lab.settles_at(&["w", "w"]).await;
    assert_eq!(labels(&world).await, json!({ "app": "web", "tier": "db" }));
    world.delete::<ConfigMap>("settings").await;
    lab.settles_at(&["w", "w", "w"]).await;
    assert_eq!(labels(&world).await, json!({ "app": "web", "tier": "db" }));
    operator.stop().await.unwrap();
    world
}

async fn another_value_of_a_declared_label_is_an_error(world: World) -> World {
    world.install(&definition()).await;
    let operator = world.operator::<publisher>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "web" }))).await;
    let widget = world.until::<Widget>("w", "refused", |widget| reason(widget, "Ready") == "Invalid").await;
    let text = message(&widget, "Ready");
    assert!(text.contains("settings has the label tier=web") && text.contains("leave the label out"), "{text}");
    assert!(world.api::<ConfigMap>().get_opt("settings").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn an_object_of_another_owner_outside_the_watch_is_polled() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<ConfigMap>(json!({ "metadata": { "name": "settings" } })).await;
    let lab = Lab::at("a");
    let operator = world.operator::<publisher>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "refused", |widget| reason(widget, "Ready") == "DependentForeign").await;
    world.quiet().await;
    let before = lab.log().len();
    world.delete::<ConfigMap>("settings").await;
    // No watch shows the deletion.
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(lab.log().len(), before + 1);
    operator.stop().await.unwrap();
}
