//! The first resync after a restart compares objects that an earlier process applied, and applies them only if that would change something.

use std::sync::Arc;

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

on_each_server!(the_first_resync_applies_no_unchanged_child, the_first_resync_applies_changes_of_the_code,);

fn is_apply(call: &Call) -> bool {
    call.is_write() && call.path.ends_with("/configmaps/w")
}

/// A widget with an interval of two seconds, left by an operator that has ended.
async fn left(world: &World, lab: &Arc<Lab>) {
    world.install(&definition()).await;
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "child": "x", "interval": "2s" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    assert!(world.wire.count(is_apply) > 0);
    world.wire.clear();
}

async fn passes(lab: &Lab, more: usize) {
    let before = lab.passes();
    eventually(SOON, || async { (lab.passes() >= before + more).then_some(()) }).await;
}

async fn the_first_resync_applies_no_unchanged_child(world: World) -> World {
    let lab = Lab::at("a");
    left(&world, &lab).await;
    let operator = world.operator::<widget>(lab.clone());
    passes(&lab, 3).await;
    let looks = |call: &Call| call.method == "GET" && call.path.ends_with("/configmaps/w");
    assert_eq!((world.wire.count(is_apply), world.wire.count(looks)), (0, 1), "{:#?}", world.wire.calls());
    world.merge::<ConfigMap>("w", json!({ "data": { "data": "drifted" } })).await;
    let is_back = || async {
        let data = world.api::<ConfigMap>().get("w").await.unwrap().data.unwrap();
        (data.get("data").map(String::as_str) == Some("x")).then_some(())
    };
    eventually(SOON, is_back).await;
    operator.stop().await.unwrap();
    world
}

async fn the_first_resync_applies_changes_of_the_code(world: World) -> World {
    let lab = Lab::at("a");
    left(&world, &lab).await;
    lab.run_code(2);
    let operator = world.operator::<widget>(lab.clone());
    let is_new = || async {
        let data = world.api::<ConfigMap>().get("w").await.unwrap().data.unwrap();
        (data.get("code").map(String::as_str) == Some("2")).then_some(())
    };
    eventually(SOON, is_new).await;
    passes(&lab, 2).await;
    assert_eq!(world.wire.count(is_apply), 1);
    operator.stop().await.unwrap();
    world
}
