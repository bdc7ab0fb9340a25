//! Sets that cannot be applied.

use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{condition, is_ready, message, reason};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::shop::{Shop, calls, open, start};

on_each_server!(
    an_invalid_manifest_stalls_before_anything_is_written,
    a_set_does_not_become_empty_by_mistake,
    fault_14_an_object_that_is_refused_does_not_stop_the_others,
    a_refusal_names_the_objects_that_wait_for_it
);

fn is_stalled(shop: &Value) -> bool {
    condition(shop, "Stalled").is_some_and(|stalled| stalled["reason"] == "ManifestInvalid")
}

async fn an_invalid_manifest_stalls_before_anything_is_written(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" }, "annotations": { "evenkeel.dev/aply-order": "1" } })).await;
    let shop = world.until::<Shop>("a", "stalled", is_stalled).await;
    let field =
        format!("ConfigMap {}/one: metadata.annotations[evenkeel.dev/aply-order]: it is unknown", world.namespace);
    assert!(message(&shop, "Ready").starts_with(&field), "{shop}");
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_none());
    // Before Kubernetes 1.22 the client that changes the spec holds Stalled, too, so the condition is there for a moment beside others.
    if world.server != Server::Full {
        world.merge::<Shop>("a", json!({ "spec": { "annotations": null } })).await;
        world.until::<Shop>("a", "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world
}

async fn a_set_does_not_become_empty_by_mistake(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.merge::<Shop>("a", json!({ "spec": { "maps": null } })).await;
    let shop = world.until::<Shop>("a", "stalled", is_stalled).await;
    assert!(message(&shop, "Ready").contains("1 would be deleted; skip the step, or write `empty = allow`"), "{shop}");
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_some());
    operator.stop().await.unwrap();
    world
}

async fn a_refusal_names_the_objects_that_wait_for_it(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.wire.fault(|call| {
        let creates = call.method == "PATCH" && call.path.ends_with("/configmaps/two");
        creates.then_some(Fault::Answer(422, None))
    });
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "one": null, "two": "2" } } })).await;
    let is_refused = |shop: &Value| condition(shop, "Applied").is_some_and(|applied| applied["reason"] == "Invalid");
    let shop = world.until::<Shop>("a", "refused", is_refused).await;
    let text = format!("; no longer wanted, but kept until the set is ready: ConfigMap {}/one", world.namespace);
    assert!(message(&shop, "Applied").ends_with(&text), "{shop}");
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_some());
    world.wire.mend();
    world.until_gone::<ConfigMap>("one").await;
    operator.stop().await.unwrap();
    world
}

async fn fault_14_an_object_that_is_refused_does_not_stop_the_others(world: World) -> World {
    let operator = start(&world).await;
    if world.server == Server::Modern {
        // It validates no names.
        operator.stop().await.unwrap();
        return world;
    }
    open(&world, "a", &json!({ "maps": { "Wrong_Name": "1", "right": "2" } })).await;
    let is_refused = |shop: &Value| condition(shop, "Applied").is_some() && reason(shop, "Applied") == "Invalid";
    let shop = world.until::<Shop>("a", "refused", is_refused).await;
    assert!(
        message(&shop, "Applied").contains(&format!("ConfigMap {}/Wrong_Name: metadata.name", world.namespace)),
        "{shop}"
    );
    assert!(world.api::<ConfigMap>().get_opt("right").await.unwrap().is_some());
    world.quiet().await;
    assert!(calls(&world).iter().filter(|call| call.contains("Wrong_Name")).count() < 20, "it backs off");
    operator.stop().await.unwrap();
    world
}
