//! Faults 15, 18 and 19: a change in the middle of a pass, a wrong annotation, an object that comes back.

use std::time::Duration;

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::dependents::shop::{Shop, calls, open, start};

on_each_server!(
    fault_18_a_misspelt_status_hint_is_found_before_anything_is_written,
    fault_19_an_object_that_others_create_after_its_purge_is_left_alone
);

#[tokio::test(start_paused = true)]
async fn fault_15_a_pass_ends_when_the_component_has_changed() {
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    let (release, held) = watch::channel(false);
    world.wire.fault(move |call| {
        let is_first = call.method == "PATCH" && call.path.ends_with("/configmaps/one");
        is_first.then(|| Fault::Hold(held.clone()))
    });
    open(&world, "a", &json!({ "maps": { "one": "1" }, "parts": { "first": 1 } })).await;
    let sent = |end: &str| calls(&world).iter().filter(|call| call.ends_with(end)).count();
    eventually(SOON, || async { (sent("configmaps/one") > 0).then_some(()) }).await;
    world.merge::<Shop>("a", json!({ "spec": { "parts": null } })).await;
    // The watch shows the change while the call is on its way.
    tokio::time::sleep(Duration::from_secs(1)).await;
    release.send(true).unwrap();
    world.until::<Shop>("a", "ready", is_ready).await;
    assert_eq!(sent("parts/first"), 0, "{:?}", calls(&world));
    operator.stop().await.unwrap();
}

async fn fault_18_a_misspelt_status_hint_is_found_before_anything_is_written(world: World) -> World {
    let operator = start(&world).await;
    let hint = json!({ "evenkeel.dev/status-hint": "has-ready-conditon" });
    open(&world, "a", &json!({ "maps": { "one": "1" }, "annotations": hint })).await;
    let is_stalled =
        |shop: &Value| condition(shop, "Stalled").is_some_and(|stalled| stalled["reason"] == "ManifestInvalid");
    let shop = world.until::<Shop>("a", "stalled", is_stalled).await;
    assert!(message(&shop, "Ready").contains("evenkeel.dev/status-hint"), "{shop}");
    assert!(message(&shop, "Ready").contains("has-ready-conditon"), "{shop}");
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn fault_19_an_object_that_others_create_after_its_purge_is_left_alone(world: World) -> World {
    let operator = start(&world).await;
    let purged = json!({ "evenkeel.dev/purge-order": "0" });
    open(&world, "a", &json!({ "maps": { "one": "1" }, "annotations": purged })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.until_gone::<ConfigMap>("one").await;
    let again =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "one" }, "data": { "old": "x" } });
    world.create::<ConfigMap>(again).await;
    world.quiet().await;
    world.wire.clear();
    world.merge::<Shop>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } })).await;
    world.quiet().await;
    world.until::<Shop>("a", "ready", is_ready).await;
    let map = world.api::<ConfigMap>().get("one").await.unwrap();
    assert!(map.data.unwrap().contains_key("old"));
    assert!(!calls(&world).iter().any(|call| call.ends_with("configmaps/one")), "{:?}", calls(&world));
    operator.stop().await.unwrap();
    world
}
