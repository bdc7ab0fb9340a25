//! Fault 23: finalizers of others on a component.

use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use crate::dependents::shop::{Shop, open, start};

on_each_server!(fault_23_a_finalizer_of_others_does_not_hold_up_the_objects);

async fn fault_23_a_finalizer_of_others_does_not_hold_up_the_objects(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    let shop = world.until::<Shop>("a", "ready", is_ready).await;
    let mut finalizers = shop["metadata"]["finalizers"].as_array().unwrap().clone();
    finalizers.push(json!("example.com/other"));
    world.merge::<Shop>("a", json!({ "metadata": { "finalizers": finalizers } })).await;
    world.delete::<Shop>("a").await;
    world.until_gone::<ConfigMap>("one").await;
    let is_theirs = |shop: &Value| shop["metadata"]["finalizers"] == json!(["example.com/other"]);
    world.until::<Shop>("a", "only the finalizer of others", is_theirs).await;
    world.merge::<Shop>("a", json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone::<Shop>("a").await;
    operator.stop().await.unwrap();
    world
}
