//! Objects that the API server deletes in spite of their finalizer, as when a delete request meets the first finalizer
//! (kubernetes/kubernetes#77988). A real server does so by chance only, so these tests run in process.

use std::sync::Arc;

use evenkeel_testkit::eventually;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::{Value, json};
use tokio::sync::MutexGuard;

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

/// An operator that is held in the first step of this widget, after its finalizer was added. The server then deletes the widget.
async fn vanished<'l>(lab: &'l Arc<Lab>, spec: Value) -> (World, Running, MutexGuard<'l, ()>) {
    let world = world().await;
    let held = lab.hold.lock().await;
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", spec)).await;
    eventually(SOON, || async { (lab.passes() == 1).then_some(()) }).await;
    delete(&world);
    (world, operator, held)
}

fn delete(world: &World) {
    assert!(world.cluster().delete_despite_finalizers::<Widget>(&world.namespace, "w"));
}

#[tokio::test]
async fn an_object_that_vanishes_during_its_first_pass_is_cleaned_up() {
    let lab = Lab::at("a");
    let (_world, operator, held) = vanished(&lab, json!({})).await;
    drop(held);
    lab.settles_at(&["fetch w", "store w", "remove w"]).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_failed_cleanup_of_a_vanished_object_is_retried() {
    let lab = Lab::at("a");
    // Its cleanup fails twice.
    let (_world, operator, held) = vanished(&lab, json!({ "store": "broken" })).await;
    drop(held);
    lab.settles_at(&["fetch w", "store w", "remove w", "remove w", "remove w"]).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_vanished_object_is_cleaned_up_before_a_new_one_of_its_name() {
    let lab = Lab::at("a");
    let (world, operator, held) = vanished(&lab, json!({ "store": "broken" })).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    drop(held);
    world.until::<Widget>("w", "ready", is_ready).await;
    lab.settles_at(&["fetch w", "store w", "remove w", "remove w", "remove w", "fetch w", "store w"]).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_vanished_object_whose_policy_keeps_its_resources_is_not_cleaned_up() {
    let lab = Lab::at("a");
    let world = world().await;
    let operator = world.operator::<widget>(lab.clone());
    let mut object = a_widget("w", json!({}));
    object["metadata"]["annotations"] = json!({ "evenkeel.dev/policy": "detach-on-delete" });
    world.create::<Widget>(object).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    delete(&world);
    lab.settles_at(&["fetch w", "store w"]).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_object_that_is_missing_after_a_restore_is_not_cleaned_up() {
    let lab = Lab::at("a");
    let world = world().await;
    let backup = world.cluster().backup();
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.cluster().restore(&backup);
    world.until_gone::<Widget>("w").await;
    lab.settles_at(&["fetch w", "store w"]).await;
    operator.stop().await.unwrap();
}
