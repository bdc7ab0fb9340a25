//! "Reconcile now": the token is a trigger, and the status stores it as handled.

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, status_of, widget};
use serde_json::{Value, json};

async fn request(world: &World, token: Value) {
    let annotations = json!({ "evenkeel.dev/requestedAt": token });
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": annotations } })).await;
}

fn receipt(object: &Value) -> &Value {
    &object["status"]["lastHandledReconcileAt"]
}

async fn a_new_token_runs_one_pass_and_is_copied(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let ready = world.until::<Widget>("w", "ready", is_ready).await;
    assert!(receipt(&ready).is_null(), "nobody asked");
    for (passes, token) in [(2, "2026-01-01T00:00:00Z"), (3, " "), (4, "2026-01-01T00:00:00Z"), (5, "")] {
        request(&world, json!(token)).await;
        world.until::<Widget>("w", "receipt", |w| receipt(w) == token && is_ready(w)).await;
        world.quiet().await;
        assert_eq!(lab.passes(), passes, "one pass for {token:?}");
    }
    operator.stop().await.unwrap();
    world
}

async fn removing_the_token_runs_nothing(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    request(&world, json!("one")).await;
    world.until::<Widget>("w", "receipt", |w| receipt(w) == "one").await;
    world.quiet().await;
    world.wire.clear();
    request(&world, Value::Null).await;
    world.quiet().await;
    assert_eq!(lab.passes(), 2);
    assert_eq!(world.wire.count(Call::is_write), 0, "{:#?}", world.wire.calls());
    assert_eq!(receipt(&world.raw::<Widget>("w").await), "one");
    // The source writes in every later run once the annotation is removed.
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    world.until::<Widget>("w", "the new generation", |w| w["metadata"]["generation"] == 2 && is_ready(w)).await;
    world.quiet().await;
    let statuses = world.wire.count(Call::is_status_write);
    assert_eq!((statuses, receipt(&world.raw::<Widget>("w").await)), (1, &json!("one")));
    operator.stop().await.unwrap();
    world
}

async fn failed_and_stalled_passes_store_the_token(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken" }))).await;
    world.until::<Widget>("w", "failed", |w| status_of(w, "Ready") == "False").await;
    request(&world, json!("one")).await;
    let failed = world.until::<Widget>("w", "receipt", |w| receipt(w) == "one").await;
    assert_eq!(status_of(&failed, "Ready"), "False");
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "invalid" } })).await;
    world.until::<Widget>("w", "stalled", |w| status_of(w, "Stalled") == "True").await;
    world.quiet().await;
    let passes = lab.passes();
    request(&world, json!("two")).await;
    world.until::<Widget>("w", "receipt", |w| receipt(w) == "two").await;
    world.quiet().await;
    assert_eq!(lab.passes(), passes + 1, "a stalled object runs when it is asked to");
    operator.stop().await.unwrap();
    world
}

async fn a_request_during_downtime_is_handled_once(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    request(&world, json!("down")).await;
    let operator = world.operator::<widget>(lab.clone());
    world.until::<Widget>("w", "receipt", |w| receipt(w) == "down").await;
    eventually(SOON, || async { (lab.passes() == 2).then_some(()) }).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<widget>(lab.clone());
    world.quiet().await;
    world.quiet().await;
    assert_eq!(lab.passes(), 2, "the handled token shows the next start that it was handled");
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_new_token_runs_one_pass_and_is_copied,
    removing_the_token_runs_nothing,
    failed_and_stalled_passes_store_the_token,
    a_request_during_downtime_is_handled_once,
);

#[tokio::test(start_paused = true)]
async fn a_request_is_handled_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<widget>(lab);
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.create::<Widget>(a_widget("stalled", json!({ "fetch": "invalid" }))).await;
        for token in ["one", "two"] {
            stage.rest().await;
            for name in ["w", "stalled"] {
                let annotations = json!({ "evenkeel.dev/requestedAt": token });
                stage.merge::<Widget>(name, json!({ "metadata": { "annotations": annotations } })).await;
            }
        }
        stage.rest().await;
        for name in ["w", "stalled"] {
            assert_eq!(receipt(&stage.raw::<Widget>(name).await), "two");
        }
    })
    .await;
}
