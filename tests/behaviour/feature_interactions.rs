//! Combinations of features: actions, records, panics and status fields in joins and loops; hooks of blocked objects; skips in structs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::Reconciler;
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, WidgetStatus, a_widget, condition, definition, is_ready, on, status_of,
};
use serde_json::{Value, json};

on_each_server!(
    an_action_fires_in_each_joined_step_once,
    an_action_fires_for_each_item_of_a_loop_once,
    the_later_joined_step_wins_a_shared_field,
    a_failed_commit_fails_only_its_joined_step,
    an_outdated_commit_in_a_join_discards_the_pass,
    a_panic_in_a_loop_item_fails_its_step,
    hooks_and_observers_see_blocked_objects,
    a_struct_skips_a_step_with_the_reason_of_the_branch,
);

/// The slower step, and the first in order.
#[sub_reconciler(sets(on::Fetched, on::Outdated), actions(force))]
async fn left(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("left");
    if cx.requested("force") {
        lab.note("left forced");
    }
    if widget.spec.record {
        cx.status().fetched = Some("left".into());
        cx.commit().await?;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    cx.status().stored = Some("left".into());
    lab.note("left ended");
    Ok(())
}

#[sub_reconciler(sets(on::Stored), actions(force))]
async fn right(_widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    if cx.requested("force") {
        lab.note("right forced");
    }
    cx.status().stored = Some("right".into());
    lab.note("right ended");
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn paired(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    join(left(widget, lab, cx), right(widget, lab, cx)).await?;
    Ok(())
}

/// The same, logged under its own name.
#[reconciler(conditions = WidgetCondition)]
async fn rivals(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    join(left(widget, lab, cx), right(widget, lab, cx)).await?;
    Ok(())
}

/// Panics for the part that the spec names.
#[sub_reconciler(sets(on::Fetched, on::Outdated), actions(force))]
async fn part(widget: &Widget, lab: &Arc<Lab>, name: &str, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(name);
    if cx.requested("force") {
        lab.note(&format!("{name} forced"));
    }
    if widget.spec.fetch.as_deref() == Some("broken") && name == "one" {
        return Err(WidgetError::Broken("one is out of order".into()));
    }
    assert_ne!(widget.spec.store.as_deref(), Some(name), "as the test wished");
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn parted(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    for name in ["one", "two", "three"] {
        part(widget, lab, name, cx).await?;
    }
    right(widget, lab, cx).await?;
    Ok(())
}

fn report(_widget: &Widget, end: &mut PassEnd<'_, WidgetStatus>) {
    let reason = end.error().map_or("-", |error| error.reason()).to_owned();
    end.status().fetched = Some(format!("{} {reason}", end.outcome().as_str()));
}

#[reconciler(conditions = WidgetCondition, depends_on = spec.depends_on, on_end = report)]
async fn awaited(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    left(widget, lab, cx).await?;
    right(widget, lab, cx).await?;
    Ok(())
}

/// Looks first, then stores what is left to do.
struct Keeper {
    lab: Arc<Lab>,
}

#[reconciler(conditions = WidgetCondition)]
impl Keeper {
    async fn reconcile(&self, widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
        self.look(widget, cx).await?;
        if widget.spec.child.is_some() {
            self.keep(widget, cx).await?;
        } else {
            skip(self.keep, "NothingToKeep");
        }
        Ok(())
    }

    #[sub_reconciler(sets(on::Fetched, on::Outdated))]
    async fn look(&self, _widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
        self.lab.note("look");
        Ok(())
    }

    #[sub_reconciler(sets(on::Stored))]
    async fn keep(&self, _widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
        self.lab.note("keep");
        Ok(())
    }
}

async fn start<R: Reconciler<Object = Widget, Deps = Arc<Lab>>>(world: &World, spec: Value) -> (Arc<Lab>, Running) {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<R>(lab.clone());
    world.create::<Widget>(a_widget("w", spec)).await;
    (lab, operator)
}

/// How often a line is in the log.
fn times(lab: &Lab, line: &str) -> usize {
    lab.log().iter().filter(|logged| *logged == line).count()
}

fn shown(object: &Value, type_: &str) -> [String; 3] {
    let condition = condition(object, type_).unwrap_or(&Value::Null);
    ["status", "reason", "message"].map(|part| condition[part].as_str().unwrap_or_default().to_owned())
}

/// Requests the action, and one more pass once it is handled.
async fn ask(world: &World, lab: &Lab, line: &str) {
    world.until::<Widget>("w", "ready", is_ready).await;
    let annotations = json!({ "evenkeel.dev/requestedAt": "one", "evenkeel.dev/forceAt": "one" });
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": annotations } })).await;
    world.until::<Widget>("w", "receipt", |w| w["status"]["lastHandledActions"]["force"] == "one").await;
    let before = times(lab, line);
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    eventually(SOON, || async { (times(lab, line) > before).then_some(()) }).await;
    world.until::<Widget>("w", "ready", is_ready).await;
}

async fn an_action_fires_in_each_joined_step_once(world: World) -> World {
    let (lab, operator) = start::<paired>(&world, json!({})).await;
    ask(&world, &lab, "right ended").await;
    assert_eq!((times(&lab, "left forced"), times(&lab, "right forced")), (1, 1));
    operator.stop().await.unwrap();
    world
}

async fn an_action_fires_for_each_item_of_a_loop_once(world: World) -> World {
    let (lab, operator) = start::<parted>(&world, json!({})).await;
    ask(&world, &lab, "three").await;
    for name in ["one", "two", "three", "right"] {
        assert_eq!(times(&lab, &format!("{name} forced")), 1, "{name}");
    }
    operator.stop().await.unwrap();
    world
}

async fn the_later_joined_step_wins_a_shared_field(world: World) -> World {
    for record in [false, true] {
        let (lab, operator) = start::<paired>(&world, json!({ "record": record })).await;
        let object = world.until::<Widget>("w", "ready", is_ready).await;
        let ends: Vec<_> = lab.log().into_iter().filter(|line| line.ends_with("ended")).collect();
        assert_eq!(ends, ["right ended", "left ended"], "the first in order ended last");
        assert_eq!(object["status"]["stored"], "right");
        assert_eq!(object["status"]["fetched"], if record { json!("left") } else { Value::Null });
        operator.stop().await.unwrap();
        world.api::<Widget>().delete("w", &kube::api::DeleteParams::default()).await.unwrap();
    }
    world
}

#[tokio::test]
async fn joined_steps_writing_one_field_are_logged_once() {
    let (logs, _guard) = Logs::capture();
    let world = World::on(Server::InProcess).await.unwrap();
    let (lab, operator) = start::<rivals>(&world, json!({})).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.create::<Widget>(a_widget("v", json!({}))).await;
    world.until::<Widget>("v", "ready", is_ready).await;
    assert_eq!(times(&lab, "left ended"), 2);
    let shown = logs.with(&["WARN", "joined steps write the same status field", "stored", "right"]);
    assert_eq!(shown.len(), 1, "{shown:?}");
    operator.stop().await.unwrap();
}

/// Fails this many status writes.
fn fail_status_writes(world: &World, mut left: usize, code: u16) {
    world.wire.fault(move |call| {
        let hit = call.is_status_write() && left > 0;
        left -= usize::from(hit);
        hit.then_some(Fault::Answer(code, None))
    });
}

async fn a_failed_commit_fails_only_its_joined_step(world: World) -> World {
    world.install(&definition()).await;
    fail_status_writes(&world, 1, 500);
    let (lab, operator) = start::<paired>(&world, json!({ "record": true })).await;
    let failed = world.until::<Widget>("w", "failed", |w| status_of(w, "Fetched") == "False").await;
    assert_eq!(shown(&failed, "Fetched")[1], "Api");
    assert_eq!(shown(&failed, "Stored"), ["True", "Succeeded", "The revision is stored."]);
    assert_eq!((&failed["status"]["fetched"], &failed["status"]["stored"]), (&json!("left"), &json!("right")));
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(times(&lab, "left"), 2);
    operator.stop().await.unwrap();
    world
}

async fn an_outdated_commit_in_a_join_discards_the_pass(world: World) -> World {
    world.install(&definition()).await;
    // The write is repeated three times.
    fail_status_writes(&world, 4, 409);
    let (lab, operator) = start::<paired>(&world, json!({ "record": true })).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!((times(&lab, "left"), times(&lab, "left ended"), times(&lab, "right ended")), (2, 1, 2));
    assert_eq!((&object["status"]["fetched"], &object["status"]["stored"]), (&json!("left"), &json!("right")));
    let failures = |call: &Call| call.is_status_write() && call.body.contains("ProgressingWithRetry");
    assert_eq!(world.wire.count(failures), 0, "a conflict is no failure");
    operator.stop().await.unwrap();
    world
}

async fn a_panic_in_a_loop_item_fails_its_step(world: World) -> World {
    let (lab, operator) = start::<parted>(&world, json!({ "store": "two", "fetch": "broken" })).await;
    let failed = world.until::<Widget>("w", "failed", |w| status_of(w, "Fetched") == "False").await;
    assert_eq!(shown(&failed, "Fetched")[1], "Panicked");
    assert!(shown(&failed, "Fetched")[2].starts_with("step part panicked: "), "{:?}", shown(&failed, "Fetched"));
    assert_eq!(shown(&failed, "Stored"), ["Unknown", "Blocked", "blocked by step part"]);
    assert_eq!(lab.log()[..2], ["one", "two"]);
    assert_eq!(times(&lab, "right ended"), 0);
    world.merge::<Widget>("w", json!({ "spec": { "store": null, "fetch": null } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn hooks_and_observers_see_blocked_objects(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = notes.clone();
    let operator = world.prepare::<awaited>(lab.clone()).on_pass_end(move |report| {
        let line = format!("{} {} {}", report.name, report.outcome.as_str(), report.reason);
        noted.lock().unwrap().push(line);
    });
    let operator = Running::start(operator);
    world.create::<Widget>(a_widget("w", json!({ "dependsOn": ["base"] }))).await;
    let by_hook = |text: &'static str| move |w: &Value| w["status"]["fetched"] == text;
    let held = world.until::<Widget>("w", "held up", by_hook("Waiting DependencyNotReady")).await;
    assert_eq!((shown(&held, "Ready")[1].as_str(), lab.log().len()), ("DependencyNotReady", 0));
    let first = || notes.lock().unwrap().first().cloned();
    assert_eq!(eventually(SOON, || async { first() }).await, "w Waiting DependencyNotReady");
    world.create::<Widget>(a_widget("base", json!({}))).await;
    world.until::<Widget>("w", "done", by_hook("Done -")).await;
    eventually(SOON, || async { notes.lock().unwrap().iter().any(|n| n.starts_with("w Done")).then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

async fn a_struct_skips_a_step_with_the_reason_of_the_branch(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<Keeper>(Keeper { lab: lab.clone() });
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(shown(&object, "Stored"), ["True", "NothingToKeep", "step keep was not needed"]);
    assert_eq!(lab.log(), ["look"]);
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    let noted = |w: &Value| is_ready(w) && shown(w, "Stored")[1] == "Succeeded";
    world.until::<Widget>("w", "kept", noted).await;
    assert_eq!(lab.log(), ["look", "look", "keep"]);
    operator.stop().await.unwrap();
    world
}
