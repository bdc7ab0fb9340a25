//! Objects that are no longer wanted, and the deletion of their component.

use std::time::Duration;

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{is_ready, message, reason};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::{Value, json};

use super::shop::{Part, Shop, calls, open, set_ready, start};

on_each_server!(
    an_object_that_is_no_longer_wanted_is_deleted,
    a_skipped_step_wants_nothing_and_a_kept_set_is_left_alone,
    fault_11_an_orphan_stays_without_marks,
    a_delete_policy_that_changed_since_the_last_apply_keeps_the_objects,
    annotations_under_the_prefix_of_another_operator_count,
    a_deleted_component_deletes_its_objects_in_order
);

#[tokio::test(start_paused = true)]
async fn a_creation_without_an_answer_is_waited_for_before_the_component_goes() {
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    world.wire.fault(|call| {
        let creates = call.method == "PATCH" && call.path.ends_with("/configmaps/one");
        creates.then_some(Fault::Late(Duration::from_secs(50)))
    });
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    let sent = || calls(&world).iter().any(|call| call == "PATCH configmaps/one");
    eventually(SOON, || async { sent().then_some(()) }).await;
    world.delete::<Shop>("a").await;
    let text = format!("the API server has not answered the creation of ConfigMap {}/one", world.namespace);
    world.until::<Shop>("a", &text, |shop| message(shop, "Applied").starts_with(&text)).await;
    eventually(Duration::from_secs(90), || async {
        world.api::<Shop>().get_opt("a").await.unwrap().is_none().then_some(())
    })
    .await;
    assert!(calls(&world).contains(&"DELETE configmaps/one".to_owned()), "{:?}", calls(&world));
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_none());
    operator.stop().await.unwrap();
}

async fn an_object_that_is_no_longer_wanted_is_deleted(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1", "two": "2" }, "secret": "x" })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    world.wire.clear();
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "two": null }, "secret": null } })).await;
    world.until_gone::<ConfigMap>("two").await;
    world.until_gone::<Secret>("login").await;
    let kinds = |shop: &Value| shop["status"]["dependents"]["shop/install"]["kinds"] == json!(["ConfigMap"]);
    world.until::<Shop>("a", "no secrets in the register", |shop| kinds(shop) && is_ready(shop)).await;
    world.quiet().await;
    let sent = calls(&world);
    let deleted = sent.iter().filter(|call| call.starts_with("DELETE")).count();
    assert_eq!((deleted, sent.len()), (2, 3), "{sent:?}");
    assert!(world.api::<ConfigMap>().get_opt("one").await.unwrap().is_some());
    operator.stop().await.unwrap();
    world
}

async fn a_skipped_step_wants_nothing_and_a_kept_set_is_left_alone(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    world.wire.clear();
    let generation = |shop: &Value| shop["metadata"]["generation"] == shop["status"]["observedGeneration"];
    world.merge::<Shop>("a", json!({ "spec": { "keeps": true, "maps": { "two": "2" } } })).await;
    world.until::<Shop>("a", "kept", |shop| generation(shop) && shop["spec"]["keeps"] == true).await;
    world.quiet().await;
    assert_eq!(calls(&world), ["PATCH shops/a/status"], "nothing but the generation");
    world.merge::<Shop>("a", json!({ "spec": { "closed": true } })).await;
    world.until_gone::<ConfigMap>("one").await;
    let has_no_set = |shop: &Value| {
        let set = &shop["status"]["dependents"]["shop/install"];
        set["kinds"] == json!([]) && set["wanted"] == 0 && is_ready(shop)
    };
    world.until::<Shop>("a", "closed", has_no_set).await;
    operator.stop().await.unwrap();
    world
}

async fn fault_11_an_orphan_stays_without_marks(world: World) -> World {
    let operator = start(&world).await;
    let policies = json!({ "delete": "orphan" });
    open(&world, "a", &json!({ "maps": { "one": "1", "two": "2" }, "policies": policies })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "two": null } } })).await;
    let is_orphan = async |name: &str| {
        let map = world.api::<ConfigMap>().get(name).await.unwrap();
        let has_marks = map
            .labels()
            .keys()
            .chain(map.annotations().keys())
            .any(|key| key.ends_with("/owner") || key.ends_with("dependent-of"));
        (!has_marks && map.annotations().contains_key("evenkeel.dev/orphaned-from"))
            .then_some(map.data.unwrap()["value"].clone())
    };
    let value = eventually(SOON, || is_orphan("two")).await;
    assert_eq!(value, "2");
    world.delete::<Shop>("a").await;
    world.until_gone::<Shop>("a").await;
    assert_eq!(is_orphan("one").await.as_deref(), Some("1"));
    operator.stop().await.unwrap();
    world
}

async fn a_delete_policy_that_changed_since_the_last_apply_keeps_the_objects(world: World) -> World {
    let operator = start(&world).await;
    let delete = |policy: &str| json!({ "delete": policy });
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    open(&world, "b", &json!({ "maps": { "two": "2" }, "policies": delete("orphan") })).await;
    let annotations = json!({ "evenkeel.dev/delete-policy": "delete" });
    open(&world, "c", &json!({ "maps": { "three": "3" }, "annotations": annotations })).await;
    for name in ["a", "b", "c"] {
        world.until::<Shop>(name, "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    for (name, policy) in [("a", "orphan"), ("b", "delete"), ("c", "orphan")] {
        world.merge::<Shop>(name, json!({ "spec": { "policies": delete(policy) } })).await;
        world.delete::<Shop>(name).await;
    }
    let operator = start(&world).await;
    for name in ["a", "b", "c"] {
        world.until_gone::<Shop>(name).await;
    }
    let is_there = async |name: &str| world.api::<ConfigMap>().get_opt(name).await.unwrap().is_some();
    // The annotation of a manifest decides alone.
    assert_eq!((is_there("one").await, is_there("two").await, is_there("three").await), (true, true, false));
    operator.stop().await.unwrap();
    world
}

async fn a_deleted_component_deletes_its_objects_in_order(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" }, "parts": { "first": 0, "second": 1 } })).await;
    for part in ["first", "second"] {
        eventually(SOON, || async { world.api::<Part>().get_opt(part).await.unwrap().map(drop) }).await;
        set_ready(&world, part, "True").await;
    }
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    world.merge::<Part>("second", json!({ "metadata": { "finalizers": ["example.com/hold"] } })).await;
    // The cache has this version, too: a deletion of an older one is refused, and sent again.
    world.quiet().await;
    world.wire.clear();
    world.delete::<Shop>("a").await;
    // The second part has the delete order -1, so it goes first.
    let waits = |shop: &Value| message(shop, "Applied").contains("its finalizers example.com/hold are still there");
    let shop = world.until::<Shop>("a", "the finalizer", waits).await;
    assert!(message(&shop, "Applied").starts_with("deleting "), "{shop}");
    world.quiet().await;
    assert!(world.api::<Part>().get_opt("first").await.unwrap().is_some(), "it waits for the end of the second");
    world.merge::<Part>("second", json!({ "metadata": { "finalizers": null } })).await;
    world.until_gone::<Shop>("a").await;
    let left = world.api::<ConfigMap>().list(&ListParams::default().labels("evenkeel.dev/operator")).await.unwrap();
    let parts = world.api::<Part>().list(&ListParams::default()).await.unwrap();
    assert_eq!((left.items.len(), parts.items.len()), (0, 0));
    let deleted: Vec<String> = calls(&world).into_iter().filter(|call| call.starts_with("DELETE")).collect();
    assert_eq!(deleted[0], "DELETE parts/second");
    assert_eq!(deleted.len(), 3, "{deleted:?}");
    operator.stop().await.unwrap();
    world
}

async fn annotations_under_the_prefix_of_another_operator_count(world: World) -> World {
    let operator = start(&world).await;
    let annotation = |value: &str| json!({ "shops.example.com/delete-policy": value, "shops.example.com/other": "x" });
    open(&world, "b", &json!({ "maps": { "two": "2" }, "annotations": annotation("keep") })).await;
    let text = "shops.example.com/delete-policy";
    let is_invalid = |shop: &Value| reason(shop, "Ready") == "ManifestInvalid" && message(shop, "Ready").contains(text);
    world.until::<Shop>("b", "invalid", is_invalid).await;
    open(&world, "a", &json!({ "maps": { "one": "1" }, "annotations": annotation("orphan") })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.delete::<Shop>("a").await;
    world.until_gone::<Shop>("a").await;
    let map = world.api::<ConfigMap>().get("one").await.unwrap();
    assert!(map.annotations().contains_key("evenkeel.dev/orphaned-from"), "{map:?}");
    operator.stop().await.unwrap();
    world
}
