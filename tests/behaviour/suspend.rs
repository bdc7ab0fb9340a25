//! Suspension: no reconcile and no write except handled tokens; a resumed object runs at once.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, a_widget, definition, fetch, is_ready, store, widget as freezer,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::DeleteParams;
use serde_json::{Value, json};

/// Like the widget, but a suspended generation counts as observed.
#[reconciler(conditions = WidgetCondition, suspend(field = spec.suspend, record))]
async fn recorder(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = fetch(widget, lab, cx).await?;
    store(widget, lab, &revision, cx).await?;
    Ok(())
}

async fn start<R>(world: &World, spec: Value) -> (Arc<Lab>, Running)
where
    R: evenkeel::Reconciler<Deps = Arc<Lab>, Object = Widget>,
{
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<R>(lab.clone());
    world.create::<Widget>(a_widget("w", spec)).await;
    (lab, operator)
}

async fn spec(world: &World, spec: Value) {
    world.merge::<Widget>("w", json!({ "spec": spec })).await;
}

async fn annotate(world: &World, name: &str, value: Value) {
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": { name: value } } })).await;
}

/// How many events the operator sent; a repeated event is a patch of its series.
fn events_sent(world: &World, reason: &str) -> usize {
    let quoted = format!("\"{reason}\"");
    world.wire.count(|call| call.is_event() && call.is_write() && call.body.contains(&quoted))
}

async fn until_sent(world: &World, reason: &str, times: usize) {
    eventually(SOON, || async { (events_sent(world, reason) == times).then_some(()) }).await;
}

async fn a_suspended_object_is_left_alone_until_it_is_resumed(world: World) -> World {
    let (lab, operator) = start::<freezer>(&world, json!({ "interval": "1s" })).await;
    let before = world.until::<Widget>("w", "ready", is_ready).await;
    spec(&world, json!({ "suspend": true })).await;
    until_sent(&world, "Suspended", 1).await;
    world.wire.clear();
    let passes = lab.passes();
    spec(&world, json!({ "child": "x" })).await;
    lab.move_to("b");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(lab.passes(), passes, "neither the change nor the interval ran a pass");
    assert_eq!(world.wire.count(Call::is_write), 0, "{:#?}", world.wire.calls());
    assert_eq!(world.raw::<Widget>("w").await["status"]["conditions"], before["status"]["conditions"]);
    spec(&world, json!({ "suspend": false })).await;
    let after = world.until::<Widget>("w", "resumed", |w| w["status"]["stored"] == "b" && is_ready(w)).await;
    assert_eq!(after["status"]["observedGeneration"], 4);
    until_sent(&world, "Resumed", 1).await;
    assert_eq!(events_sent(&world, "Suspended"), 0, "not again");
    operator.stop().await.unwrap();
    world
}

async fn resuming_repairs_drift_from_the_suspension(world: World) -> World {
    let (lab, operator) = start::<freezer>(&world, json!({ "child": "x" })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    annotate(&world, "evenkeel.dev/suspend", json!("true")).await;
    until_sent(&world, "Suspended", 1).await;
    world.api::<ConfigMap>().delete("w", &DeleteParams::default()).await.unwrap();
    world.quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("w").await.unwrap().is_none(), "drift is left alone");
    let passes = lab.passes();
    annotate(&world, "evenkeel.dev/suspend", json!("false")).await;
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("w").await.unwrap() }).await;
    assert_eq!(lab.passes(), passes + 1);
    annotate(&world, "evenkeel.dev/suspend", json!("true")).await;
    until_sent(&world, "Suspended", 2).await;
    annotate(&world, "evenkeel.dev/suspend", Value::Null).await;
    eventually(SOON, || async { (lab.passes() == passes + 2).then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

async fn an_initially_suspended_object_gets_no_finalizer(world: World) -> World {
    // No pass has run, so the status has a handled token and no Ready.
    world.wire.observers().excuse("w");
    let (lab, operator) = start::<freezer>(&world, json!({ "suspend": true })).await;
    world.quiet().await;
    let fresh = world.raw::<Widget>("w").await;
    assert_eq!((&fresh["metadata"]["finalizers"], world.wire.count(Call::is_write)), (&Value::Null, 0));
    annotate(&world, "evenkeel.dev/requestedAt", json!("now")).await;
    let handled = |w: &Value| w["status"]["lastHandledReconcileAt"] == "now";
    let object = world.until::<Widget>("w", "the receipt", handled).await;
    assert_eq!(object["status"]["observedGeneration"], -1, "it does not look current: {:#}", object["status"]);
    world.quiet().await;
    assert_eq!((lab.passes(), world.wire.count(Call::is_write)), (0, 1), "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    world
}

async fn a_restart_respects_suspension_and_resume(world: World) -> World {
    let (lab, operator) = start::<freezer>(&world, json!({})).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    spec(&world, json!({ "suspend": true })).await;
    until_sent(&world, "Suspended", 1).await;
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<freezer>(lab.clone());
    world.quiet().await;
    assert_eq!((lab.passes(), world.wire.count(Call::is_write)), (1, 0), "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    spec(&world, json!({ "suspend": null })).await;
    let operator = world.operator::<freezer>(lab.clone());
    world.until::<Widget>("w", "resumed", |w| w["status"]["observedGeneration"] == 3).await;
    assert_eq!(lab.passes(), 2);
    operator.stop().await.unwrap();
    world
}

async fn deletion_wins_over_suspension(world: World) -> World {
    let (lab, operator) = start::<freezer>(&world, json!({})).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    spec(&world, json!({ "suspend": true })).await;
    until_sent(&world, "Suspended", 1).await;
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!((lab.cleanups(), lab.passes()), (1, 1));
    operator.stop().await.unwrap();
    world
}

async fn a_suspended_generation_may_count_as_observed(world: World) -> World {
    // The conditions stay as they were, for the previous generation: the operator was asked to leave them.
    world.wire.observers().excuse("w");
    let (lab, operator) = start::<recorder>(&world, json!({})).await;
    let before = world.until::<Widget>("w", "ready", is_ready).await;
    spec(&world, json!({ "suspend": true, "child": "x" })).await;
    let recorded = || async {
        let object = world.raw::<Widget>("w").await;
        (object["status"]["observedGeneration"] == 2).then_some(object)
    };
    let object = eventually(SOON, recorded).await;
    assert_eq!(object["status"]["conditions"], before["status"]["conditions"]);
    spec(&world, json!({ "suspend": false })).await;
    world.until::<Widget>("w", "resumed", |w| w["status"]["observedGeneration"] == 3 && is_ready(w)).await;
    let child = world.api::<ConfigMap>().get("w").await.unwrap();
    assert_eq!((lab.passes(), child.data.unwrap()["data"].as_str()), (2, "x"));
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_suspended_object_is_left_alone_until_it_is_resumed,
    resuming_repairs_drift_from_the_suspension,
    an_initially_suspended_object_gets_no_finalizer,
    a_restart_respects_suspension_and_resume,
    deletion_wins_over_suspension,
    a_suspended_generation_may_count_as_observed,
);

#[tokio::test(start_paused = true)]
async fn suspension_converges_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        // No pass has run when its handled token is written.
        stage.wire.observers().excuse("fresh");
        stage.operate::<freezer>(lab.clone());
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.create::<Widget>(a_widget("fresh", json!({ "suspend": true, "child": "x" }))).await;
        stage.rest().await;
        spec(&stage, json!({ "suspend": true, "child": "y" })).await;
        let asked = json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } });
        stage.merge::<Widget>("fresh", asked).await;
        stage.rest().await;
        let maps = stage.api::<ConfigMap>();
        let content = async |name: &str| Some(maps.get_opt(name).await.unwrap()?.data?["data"].clone());
        assert_eq!((content("w").await.as_deref(), content("fresh").await), (Some("x"), None));
        spec(&stage, json!({ "suspend": null })).await;
        stage.delete::<Widget>("fresh").await;
        assert_eq!(content("w").await.as_deref(), Some("y"));
        assert!(is_ready(&stage.raw::<Widget>("w").await));
        spec(&stage, json!({ "suspend": true })).await;
        stage.delete::<Widget>("w").await;
        lab.effects().contains("remove w") && !lab.effects().contains("remove fresh")
    })
    .await;
}
