//! Sets with a type and its instances.

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use kube::api::Api;
use serde_json::{Value, json};

use super::estate::{Estate, Room, found, start, without_type};
use super::shop::calls;

on_each_server!(fault_07_a_type_is_created_before_its_instances_and_deleted_after_all_of_them);

fn is_blocked(estate: &Value) -> bool {
    condition(estate, "Applied").is_some_and(|applied| applied["reason"] == "DeletionBlocked")
}

/// One test, since the type exists once per server.
async fn fault_07_a_type_is_created_before_its_instances_and_deleted_after_all_of_them(world: World) -> World {
    without_type(&world).await;
    let operator = start(&world, &[]).await;
    found(&world, "a", &json!({ "hasType": true, "rooms": ["kitchen"] })).await;
    world.until::<Estate>("a", "ready", is_ready).await;
    let sent = calls(&world);
    let place = |end: &str| sent.iter().position(|call| call.ends_with(end)).expect("it was sent");
    assert!(place("/rooms.estate.tests.evenkeel.dev") < place("rooms/kitchen"), "{sent:?}");
    // The watch of the new type works: what is deleted comes back.
    let uid = world.raw::<Room>("kitchen").await["metadata"]["uid"].clone();
    world.delete::<Room>("kitchen").await;
    eventually(SOON, || async {
        let again = world.api::<Room>().get_opt("kitchen").await.ok()??;
        (again.metadata.uid.map(Value::from) != Some(uid.clone())).then_some(())
    })
    .await;
    world.quiet().await;
    // While another client has an instance of the type, nothing of the component is deleted.
    world
        .create::<Room>(json!({ "apiVersion": "estate.tests.evenkeel.dev/v1", "kind": "Room",
        "metadata": { "name": "foreign" }, "spec": { "size": 2 } }))
        .await;
    world.wire.clear();
    world.delete::<Estate>("a").await;
    let estate = world.until::<Estate>("a", "blocked", is_blocked).await;
    let foreign = format!("has instances of others: Room.estate.tests.evenkeel.dev {}/foreign; ", world.namespace);
    assert!(message(&estate, "Applied").contains(&foreign), "{estate}");
    world.quiet().await;
    assert!(!calls(&world).iter().any(|call| call.starts_with("DELETE")), "{:?}", calls(&world));
    // It is looked for again after 30 s; a change of the component triggers a pass at once.
    world.delete::<Room>("foreign").await;
    world.until_gone::<Room>("foreign").await;
    world.merge::<Estate>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } })).await;
    world.until_gone::<Estate>("a").await;
    let crds = Api::<CustomResourceDefinition>::all(world.client.clone());
    assert!(crds.get_opt(&Room::crd().metadata.name.unwrap()).await.unwrap().is_none());
    let deleted: Vec<String> = calls(&world).into_iter().filter(|call| call.starts_with("DELETE")).collect();
    assert_eq!((deleted.len(), &*deleted[0]), (2, "DELETE rooms/kitchen"), "{deleted:?}");
    operator.stop().await.unwrap();
    world
}
