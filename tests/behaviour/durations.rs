//! Times of a reconciler and its steps: intervals, retries, timeouts.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{IntoInterval, Jitter, Reconciler};
use evenkeel_testkit::eventually;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, a_widget, condition, definition, is_ready, on, status_of,
};
use k8s_openapi::api::core::v1::{ConfigMap, Event};
use serde_json::{Value, json};

/// Returns the outcome that the spec names, or hangs until it is stopped.
#[sub_reconciler(sets(on::Fetched, on::Outdated), timeout = "2m")]
async fn fetch(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("fetch");
    match widget.spec.fetch.as_deref() {
        Some("hang") => std::future::pending().await,
        Some("broken") => Err(WidgetError::Broken("out of order".into())),
        _ => Ok(()),
    }
}

/// Hangs, without a timeout of the step.
#[sub_reconciler(sets(on::Stored))]
async fn store(widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
    if widget.spec.store.as_deref() == Some("hang") {
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// One hour with a child, two hours otherwise.
fn next_run(widget: &Widget) -> impl IntoInterval + use<> {
    let hours = if widget.spec.child.is_some() { 1 } else { 2 };
    Duration::from_secs(hours * 3600)
}

#[reconciler(conditions = WidgetCondition, requeue = next_run, retry = spec.interval, timeout = spec.interval)]
async fn timed(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fetch(widget, lab, cx).await?;
    store(widget, cx).await?;
    Ok(())
}

/// Hangs for the part named `hang`.
#[sub_reconciler(sets(on::Stored), timeout = "1m")]
async fn store_part(_: &Widget, lab: &Arc<Lab>, part: &str, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(part);
    match part {
        "hang" => std::future::pending().await,
        _ => Ok(()),
    }
}

/// Works on a separate thread while the test holds the lock.
#[sub_reconciler(sets(on::Stored), timeout = "1s")]
async fn grind(_: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let lab = lab.clone();
    cx.blocking(move || drop(lab.hold.blocking_lock())).await;
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn joined(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    join(fetch(widget, lab, cx), store(widget, cx)).await?;
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn in_parts(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fetch(widget, lab, cx).await?;
    for part in ["one", "hang", "two"] {
        store_part(widget, lab, part, cx).await?;
    }
    Ok(())
}

#[reconciler(conditions = WidgetCondition, retry = "1s")]
async fn grinding(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fetch(widget, lab, cx).await?;
    grind(widget, lab, cx).await?;
    Ok(())
}

/// Applies a ConfigMap; the spec sets the retry after a failure.
#[sub_reconciler(sets(on::Stored), owns(ConfigMap))]
async fn keep(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("keep");
    let mut map = ConfigMap::default();
    map.metadata.name = Some("w".into());
    let applied = cx.apply(&map).await;
    match widget.spec.store.as_deref() {
        Some("poll") if applied.is_err() => Err(WidgetError::NotYet),
        Some("requeue") if applied.is_err() => {
            cx.requeue_after(Duration::from_secs(5));
            Ok(())
        }
        _ => Ok(applied.map(drop)?),
    }
}

#[reconciler(conditions = WidgetCondition, retry = spec.interval)]
async fn keeping(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fetch(widget, lab, cx).await?;
    keep(widget, lab, cx).await?;
    Ok(())
}

/// The first write of a ConfigMap is answered with 429 and this `Retry-After`.
async fn busy(spec: &Value, retry_after: u32) -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", spec.clone())).await;
    let mut first = true;
    world.wire.fault(move |call| {
        let hit = call.is_write() && call.path.contains("/configmaps/") && std::mem::take(&mut first);
        hit.then_some(Fault::Answer(429, Some(retry_after)))
    });
    world
}

/// The time between the first and the second pass.
async fn pause_of(spec: &Value, retry_after: u32) -> Duration {
    let (world, lab) = (busy(spec, retry_after).await, Lab::at("a"));
    let operator = world.operator::<keeping>(lab.clone());
    let pause = eventually(Duration::from_secs(3600), || async { lab.pauses("keep").first().copied() }).await;
    operator.stop().await.unwrap();
    pause
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured() {
    for spec in [json!({}), json!({ "interval": "5s" }), json!({ "store": "poll" }), json!({ "store": "requeue" })] {
        let pause = pause_of(&spec, 200).await;
        assert_eq!(pause.as_secs(), 200, "{spec}");
    }
    let pause = pause_of(&json!({ "interval": "10m" }), 20).await;
    assert!((450..=600).contains(&pause.as_secs()), "the longer one counts: {pause:?}");
}

#[tokio::test(start_paused = true)]
async fn an_out_of_bounds_retry_after_is_clamped_once() {
    let world = busy(&json!({}), u32::MAX).await;
    let lab = Lab::at("a");
    let operator = world.operator::<keeping>(lab.clone());
    let seen = |e: &Event| e.reason.as_deref() == Some("Clamped");
    eventually(SOON, || async { world.events("w").await.iter().any(seen).then_some(()) }).await;
    tokio::time::sleep(Duration::from_secs(7200)).await;
    assert_eq!(lab.log(), ["fetch", "keep"], "two hours are not thirty days");
    operator.stop().await.unwrap();
    let events = world.events("w").await;
    let clamped: Vec<_> = events.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).collect();
    assert_eq!(clamped.len(), 1);
    let wanted = "the Retry-After of the API server of 4294967295s was clamped to 2592000s";
    assert_eq!(clamped[0].message.as_deref(), Some(wanted));
}

async fn start(spec: Value) -> (World, Arc<Lab>, Running) {
    start_with::<timed>(spec).await
}

async fn start_with<R: Reconciler<Object = Widget, Deps = Arc<Lab>>>(spec: Value) -> (World, Arc<Lab>, Running) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", spec)).await;
    let lab = Lab::at("a");
    let operator = world.prepare::<R>(lab.clone()).jitter(Jitter::percent(10).unwrap());
    (world, lab, Running::start(operator))
}

/// The seconds between the passes within the time.
async fn pauses(lab: &Lab, within: u64) -> Vec<u64> {
    eventually(SOON, || async { (!lab.log().is_empty()).then_some(()) }).await;
    tokio::time::sleep(Duration::from_secs(within)).await;
    lab.pauses("fetch").iter().map(Duration::as_secs).collect()
}

#[tokio::test(start_paused = true)]
async fn a_function_of_the_object_sets_the_interval() {
    for (child, hours) in [(json!("x"), 1_u64), (json!(null), 2)] {
        let (_world, lab, operator) = start(json!({ "child": child })).await;
        // The first interval has the phase of the object; later intervals have the jitter of the object.
        let pauses = &pauses(&lab, 5 * hours * 3600).await[1..];
        assert!(pauses.len() > 1, "{pauses:?}");
        let (least, most) = (hours * 3600 * 9 / 10, hours * 3600 * 11 / 10);
        assert!(pauses.iter().all(|pause| (least..=most).contains(pause)), "{pauses:?}");
        assert!(pauses.iter().all(|pause| pause.abs_diff(pauses[0]) <= 1), "always the same: {pauses:?}");
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_of_the_object_sets_the_retry_delay() {
    let (world, lab, operator) = start(json!({ "fetch": "broken", "interval": "40s" })).await;
    let pauses = pauses(&lab, 300).await;
    assert!(pauses.len() > 5 && pauses.iter().all(|pause| (29..=40).contains(pause)), "{pauses:?}");
    assert_eq!(world.events("w").await.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).count(), 0);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_a_delay_retries_follow_the_back_off() {
    let (_world, lab, operator) = start(json!({ "fetch": "broken" })).await;
    let pauses = pauses(&lab, 300).await;
    assert!(pauses.len() > 4 && pauses.last() > Some(&30), "{pauses:?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn out_of_bounds_times_are_clamped_and_reported_once() {
    let (world, lab, operator) = start(json!({ "fetch": "broken", "interval": "10ms" })).await;
    let pauses = pauses(&lab, 30).await;
    assert!(pauses.len() > 10 && pauses.iter().all(|pause| *pause <= 1), "{pauses:?}");
    let events = world.events("w").await;
    let clamped: Vec<_> = events.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).collect();
    assert_eq!(clamped.len(), 1);
    let wanted = "the time-out of 10ms was clamped to 1s; the retry interval of 10ms was clamped to 1s";
    assert_eq!(clamped[0].message.as_deref(), Some(wanted));
    operator.stop().await.unwrap();
}

/// Waits for the timeout and returns the reason and the message of Ready.
async fn timed_out(world: &World, type_: &str) -> String {
    let object = eventually(Duration::from_secs(900), || async {
        let object = world.raw::<Widget>("w").await;
        (status_of(&object, type_) == "False").then_some(object)
    });
    let object = object.await;
    let shown = condition(&object, type_).unwrap();
    assert_eq!(shown["reason"], "TimedOut");
    shown["message"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_step_has_its_own_timeout() {
    let (world, _lab, operator) = start(json!({ "fetch": "hang" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 120s");
    assert_eq!(status_of(&world.raw::<Widget>("w").await, "Reconciling"), "True", "it is tried again");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_object_sets_the_timeout_of_its_pass() {
    for (interval, wanted) in [(json!("7m"), "420s"), (json!(null), "300s")] {
        let (world, _lab, operator) = start(json!({ "store": "hang", "interval": interval })).await;
        assert_eq!(timed_out(&world, "Stored").await, format!("step store did not end within {wanted}"));
        // It is not stopped gracefully, since its next pass may already hang.
        operator.crash().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_timeout_of_the_pass_covers_all_steps() {
    let (world, _lab, operator) = start(json!({ "fetch": "hang", "interval": "30s" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 30s");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_timed_out_joined_step_stops_no_other() {
    let (world, _lab, operator) = start_with::<joined>(json!({ "fetch": "hang" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 120s");
    assert_eq!(status_of(&world.raw::<Widget>("w").await, "Stored"), "True");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn each_loop_item_has_the_timeout_of_the_step() {
    let (world, lab, operator) = start_with::<in_parts>(json!({})).await;
    assert_eq!(timed_out(&world, "Stored").await, "1 of 3 failed: step store_part did not end within 60s");
    assert_eq!(lab.log()[..4], ["fetch", "one", "hang", "two"]);
    operator.stop().await.unwrap();
}

/// In real time: the paused clock stops while a thread works.
#[tokio::test]
async fn blocking_work_blocks_its_object_after_a_timeout() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let held = lab.hold.lock().await;
    let operator = world.operator::<grinding>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    assert_eq!(timed_out(&world, "Stored").await, "step grind did not end within 1s");
    world.merge::<Widget>("w", json!({ "spec": { "child": "new" } })).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(lab.log(), ["fetch"], "neither the change nor the retry starts a pass beside the work");
    drop(held);
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn intervals_and_timeouts_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<timed>(lab.clone());
        stage.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
        stage.create::<Widget>(a_widget("late", json!({ "fetch": "hang", "interval": "20s" }))).await;
        stage.rest().await;
        assert_eq!(status_of(&stage.raw::<Widget>("late").await, "Ready"), "False");
        stage.merge::<Widget>("late", json!({ "spec": { "fetch": null } })).await;
        stage.rest().await;
        assert!(is_ready(&stage.raw::<Widget>("late").await));
        // One of them runs each hour, the other every two hours. With a jitter of 5 % four hours contain at most five and three runs; a run
        // that a crash interrupts is not counted.
        let before = lab.log().len();
        tokio::time::sleep(Duration::from_secs(4 * 3600)).await;
        let runs = lab.log().len() - before;
        assert!((3..=8).contains(&runs), "{runs}");
    })
    .await;
}
