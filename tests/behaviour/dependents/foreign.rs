//! Objects of others that have the name of a dependent, and copies of its marks.

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message, reason};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use serde_json::{Value, json};

use super::shop::{Shop, open, start};

on_each_server!(
    an_object_without_owner_is_adopted_or_waited_for,
    fault_12_the_owner_of_a_foreign_object_is_named,
    fault_13_two_components_take_turns,
    a_copy_of_the_marks_is_no_dependent
);

fn map(name: &str, annotations: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "annotations": annotations }, "data": { "old": "x" } })
}

fn is_blocked(shop: &Value) -> bool {
    condition(shop, "Ready").is_some() && reason(shop, "Ready") == "DependentForeign"
}

async fn an_object_without_owner_is_adopted_or_waited_for(world: World) -> World {
    let operator = start(&world).await;
    world.create::<ConfigMap>(map("free", &json!({}))).await;
    open(&world, "a", &json!({ "maps": { "free": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    let adopted = world.api::<ConfigMap>().get("free").await.unwrap();
    assert_eq!(adopted.data.unwrap()["value"], "1");
    world.create::<ConfigMap>(map("taken", &json!({}))).await;
    open(&world, "b", &json!({ "maps": { "taken": "1" }, "policies": { "adoption": "never" } })).await;
    world.until::<Shop>("b", "refused", is_blocked).await;
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get("taken").await.unwrap().data.unwrap().contains_key("old"));
    // Its end triggers a pass.
    world.delete::<ConfigMap>("taken").await;
    world.until::<Shop>("b", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn fault_12_the_owner_of_a_foreign_object_is_named(world: World) -> World {
    let operator = start(&world).await;
    world.create::<ConfigMap>(map("web", &json!({ "meta.helm.sh/release-name": "web" }))).await;
    open(&world, "a", &json!({ "maps": { "web": "1" } })).await;
    let shop = world.until::<Shop>("a", "refused", is_blocked).await;
    assert!(message(&shop, "Ready").contains("belongs to the Helm release web"), "{shop}");
    let cure = "evenkeel.dev/adoption-policy: always";
    assert!(message(&shop, "Ready").contains(cure), "{shop}");
    world.merge::<Shop>("a", json!({ "spec": { "annotations": { "evenkeel.dev/adoption-policy": "always" } } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn fault_13_two_components_take_turns(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "shared": "a" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    open(&world, "b", &json!({ "maps": { "shared": "b" }, "policies": { "adoption": "always" } })).await;
    let shop = world.until::<Shop>("b", "refused", is_blocked).await;
    assert!(message(&shop, "Ready").contains(&format!("belongs to Shop {}/a", world.namespace)), "{shop}");
    assert_eq!(world.api::<ConfigMap>().get("shared").await.unwrap().data.unwrap()["value"], "a");
    world.delete::<Shop>("a").await;
    world.until::<Shop>("b", "ready", is_ready).await;
    assert_eq!(world.api::<ConfigMap>().get("shared").await.unwrap().data.unwrap()["value"], "b");
    operator.stop().await.unwrap();
    world
}

async fn a_copy_of_the_marks_is_no_dependent(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    let mut copy = world.api::<ConfigMap>().get("one").await.unwrap();
    copy.metadata = kube::core::ObjectMeta {
        name: Some("copy".into()),
        labels: Some(copy.labels().clone()),
        annotations: Some(copy.annotations().clone()),
        ..kube::core::ObjectMeta::default()
    };
    world.api::<ConfigMap>().create(&kube::api::PostParams::default(), &copy).await.unwrap();
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "two": "2" } } })).await;
    let is_second = |shop: &Value| shop["status"]["dependents"]["shop/install"]["wanted"] == 2 && is_ready(shop);
    world.until::<Shop>("a", "the second map", is_second).await;
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("copy").await.unwrap().is_some(), "it is not the operator's");
    // It does not hold up the deletion either.
    world.delete::<Shop>("a").await;
    world.until_gone::<Shop>("a").await;
    let copy = || async { world.api::<ConfigMap>().get_opt("copy").await.unwrap().map(drop) };
    eventually(SOON, copy).await;
    operator.stop().await.unwrap();
    world
}
