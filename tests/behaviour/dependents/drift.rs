//! Changes that others make to dependents.

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use serde_json::json;

use super::shop::{Shop, calls, open, start};

on_each_server!(
    a_changed_field_is_corrected_by_one_call,
    fields_of_others_are_left_alone,
    a_deleted_object_and_a_removed_mark_come_back,
    a_change_while_no_operator_runs_is_corrected
);

async fn opened(world: &World) {
    open(world, "a", &json!({ "maps": { "one": "1", "two": "2" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    world.wire.clear();
}

async fn until_value(world: &World, name: &str, value: &str) {
    let has = || async {
        let map = world.api::<ConfigMap>().get_opt(name).await.unwrap()?;
        (map.data?.get("value")? == value).then_some(())
    };
    eventually(SOON, has).await;
}

async fn a_changed_field_is_corrected_by_one_call(world: World) -> World {
    let operator = start(&world).await;
    opened(&world).await;
    world.merge::<ConfigMap>("one", json!({ "data": { "value": "drift" } })).await;
    until_value(&world, "one", "1").await;
    world.quiet().await;
    assert_eq!(calls(&world), ["PATCH configmaps/one"], "no status write, as nothing changed in the end");
    operator.stop().await.unwrap();
    world
}

async fn fields_of_others_are_left_alone(world: World) -> World {
    let operator = start(&world).await;
    opened(&world).await;
    let more =
        json!({ "metadata": { "labels": { "team": "a" }, "annotations": { "note": "x" } }, "data": { "more": "y" } });
    world.merge::<ConfigMap>("one", more).await;
    world.quiet().await;
    assert!(calls(&world).is_empty(), "{:?}", calls(&world));
    let map = world.api::<ConfigMap>().get("one").await.unwrap();
    assert_eq!(map.labels()["team"], "a");
    assert_eq!(map.data.unwrap()["more"], "y");
    operator.stop().await.unwrap();
    world
}

async fn a_deleted_object_and_a_removed_mark_come_back(world: World) -> World {
    let operator = start(&world).await;
    opened(&world).await;
    world.delete::<ConfigMap>("one").await;
    until_value(&world, "one", "1").await;
    world.quiet().await;
    assert_eq!(calls(&world), ["PATCH configmaps/one"], "the new uid is stored later, with the digest");
    // Without the label no watch shows the object any more.
    let labels =
        json!({ "metadata": { "labels": { "evenkeel.dev/operator": null, "evenkeel.dev/dependent-of": null } } });
    world.merge::<ConfigMap>("two", labels).await;
    let marked = || async {
        let map = world.api::<ConfigMap>().get("two").await.unwrap();
        map.labels().contains_key("evenkeel.dev/operator").then_some(())
    };
    eventually(SOON, marked).await;
    let shop = world.until::<Shop>("a", "ready", is_ready).await;
    assert_eq!(shop["status"]["dependents"]["shop/install"]["readyObjects"], 2);
    operator.stop().await.unwrap();
    world
}

async fn a_change_while_no_operator_runs_is_corrected(world: World) -> World {
    let operator = start(&world).await;
    opened(&world).await;
    operator.stop().await.unwrap();
    world.merge::<ConfigMap>("one", json!({ "data": { "value": "drift" } })).await;
    let operator = world.operator::<super::shop::shop>(());
    until_value(&world, "one", "1").await;
    operator.stop().await.unwrap();
    world
}
