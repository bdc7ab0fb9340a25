//! One-shot actions: which actions fire in which pass, and which handled tokens the status holds.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, is_ready, on, status_of, store,
};
use serde_json::{Value, json};

/// Logs the actions that fire.
#[sub_reconciler(sets(on::Fetched, on::Outdated), actions(force, hard_reset))]
async fn look(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, look>) -> Result<String, WidgetError> {
    lab.note("pass");
    if cx.requested("force") {
        lab.note("force");
    }
    if cx.requested("hard_reset") {
        lab.note("reset");
    }
    match widget.spec.fetch.as_deref() {
        Some("broken") => Err(WidgetError::Broken("out of order".into())),
        _ => Ok("a".into()),
    }
}

#[reconciler(conditions = WidgetCondition, suspend = spec.suspend)]
async fn forced(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = look(widget, lab, cx).await?;
    store(widget, lab, &revision.as_str().into(), cx).await?;
    Ok(())
}

async fn annotate(world: &World, annotations: Value) {
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": annotations } })).await;
}

/// Sets request and action in one write.
async fn ask(world: &World, action: &str, requested: &str, token: &str) {
    let annotations = json!({ "evenkeel.dev/requestedAt": requested, format!("evenkeel.dev/{action}At"): token });
    annotate(world, annotations).await;
    world.until::<Widget>("w", "receipt", |w| w["status"]["lastHandledReconcileAt"] == requested).await;
}

fn actions(widget: &Value) -> &Value {
    &widget["status"]["lastHandledActions"]
}

/// How often a line is in the log.
fn times(lab: &Lab, line: &str) -> usize {
    lab.log().iter().filter(|logged| *logged == line).count()
}

async fn an_action_fires_once_with_its_request_token(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<forced>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let ready = world.until::<Widget>("w", "ready", is_ready).await;
    assert!(actions(&ready).is_null(), "nobody asked");
    ask(&world, "force", "one", "one").await;
    assert_eq!((times(&lab, "force"), times(&lab, "reset")), (1, 0));
    ask(&world, "force", "two", "other").await;
    let after = world.raw::<Widget>("w").await;
    assert_eq!(actions(&after), &json!({ "force": "other" }), "recorded, though it did not fire");
    ask(&world, "force", "other", "other").await;
    assert_eq!(times(&lab, "force"), 1, "a recorded token does not fire later");
    ask(&world, "hardReset", "three", "three").await;
    assert_eq!((times(&lab, "force"), times(&lab, "reset")), (1, 1));
    let after = world.raw::<Widget>("w").await;
    assert_eq!(actions(&after), &json!({ "force": "other", "hardReset": "three" }));
    operator.stop().await.unwrap();
    world
}

async fn an_action_without_a_pending_request_never_fires(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<forced>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    annotate(&world, json!({ "evenkeel.dev/requestedAt": "one" })).await;
    world.until::<Widget>("w", "receipt", |w| w["status"]["lastHandledReconcileAt"] == "one").await;
    world.quiet().await;
    let passes = times(&lab, "pass");
    annotate(&world, json!({ "evenkeel.dev/forceAt": "one" })).await;
    world.quiet().await;
    assert_eq!(times(&lab, "pass"), passes, "not a cause");
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    world.until::<Widget>("w", "the token", |w| actions(w)["force"] == "one" && is_ready(w)).await;
    assert_eq!(times(&lab, "force"), 0, "its request was handled before");
    operator.stop().await.unwrap();
    world
}

async fn an_action_of_a_failing_pass_fires_once(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<forced>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken" }))).await;
    world.until::<Widget>("w", "failed", |w| status_of(w, "Ready") == "False").await;
    ask(&world, "force", "one", "one").await;
    let passes = times(&lab, "pass");
    evenkeel_testkit::eventually(evenkeel_tests::test_env::SOON, || async {
        (times(&lab, "pass") > passes).then_some(())
    })
    .await;
    assert_eq!(times(&lab, "force"), 1);
    assert_eq!(actions(&world.raw::<Widget>("w").await), &json!({ "force": "one" }));
    operator.stop().await.unwrap();
    world
}

async fn a_suspended_object_stores_the_token_without_firing(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<forced>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    // The generation is not observed, since the object was not reconciled.
    world.wire.observers().excuse("w");
    world.merge::<Widget>("w", json!({ "spec": { "suspend": true } })).await;
    ask(&world, "force", "one", "one").await;
    assert_eq!(actions(&world.raw::<Widget>("w").await), &json!({ "force": "one" }));
    world.merge::<Widget>("w", json!({ "spec": { "suspend": false } })).await;
    world.until::<Widget>("w", "resumed", |w| w["status"]["observedGeneration"] == 3).await;
    assert_eq!(times(&lab, "force"), 0);
    operator.stop().await.unwrap();
    world
}

async fn an_action_requested_during_downtime_fires_once(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<forced>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    annotate(&world, json!({ "evenkeel.dev/requestedAt": "down", "evenkeel.dev/forceAt": "down" })).await;
    for _ in 0..2 {
        let operator = world.operator::<forced>(lab.clone());
        world.until::<Widget>("w", "receipt", |w| actions(w)["force"] == "down").await;
        world.quiet().await;
        assert_eq!(times(&lab, "force"), 1);
        operator.stop().await.unwrap();
    }
    world
}

on_each_server!(
    an_action_fires_once_with_its_request_token,
    an_action_without_a_pending_request_never_fires,
    an_action_of_a_failing_pass_fires_once,
    a_suspended_object_stores_the_token_without_firing,
    an_action_requested_during_downtime_fires_once,
);

#[tokio::test(start_paused = true)]
async fn one_shot_actions_fire_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<forced>(lab.clone());
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.rest().await;
        for action in ["force", "hardReset"] {
            let annotations = json!({ "evenkeel.dev/requestedAt": action, format!("evenkeel.dev/{action}At"): action });
            annotate(&stage, annotations).await;
            stage.rest().await;
        }
        // An action whose request was not made together with it never fires.
        annotate(&stage, json!({ "evenkeel.dev/requestedAt": "three", "evenkeel.dev/forceAt": "other" })).await;
        stage.rest().await;
        let object = stage.raw::<Widget>("w").await;
        assert_eq!(actions(&object), &json!({ "force": "other", "hardReset": "hardReset" }));
        // A pass whose result was not stored fires again.
        assert!(times(&lab, "force") >= 1 && times(&lab, "reset") >= 1);
    })
    .await;
}
