//! Times that a reconciler and its steps ask for: intervals, retries, time-outs.

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

/// Does as the spec says; hangs for ever unless it is stopped.
#[sub_reconciler(sets(on::Fetched, on::Outdated), timeout = "2m")]
async fn fetch(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("fetch");
    match widget.spec.fetch.as_deref() {
        Some("hang") => std::future::pending().await,
        Some("broken") => Err(WidgetError::Broken("out of order".into())),
        _ => Ok(()),
    }
}

/// Hangs without a time-out of its own.
#[sub_reconciler(sets(on::Stored))]
async fn store(widget: &Widget, _cx: &mut Cx) -> Result<(), WidgetError> {
    if widget.spec.store.as_deref() == Some("hang") {
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// Often while there is a child, hourly otherwise.
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

/// Hangs for the part called `hang`.
#[sub_reconciler(sets(on::Stored), timeout = "1m")]
async fn store_part(_: &Widget, lab: &Arc<Lab>, part: &str, _cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note(part);
    match part {
        "hang" => std::future::pending().await,
        _ => Ok(()),
    }
}

/// Works on a thread of its own while the test holds it.
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

/// Keeps a config map; where that fails, it is tried again as the spec says.
#[sub_reconciler(sets(on::Stored), owns(ConfigMap))]
async fn keep(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("keep");
    let mut map = ConfigMap::default();
    map.metadata.name = Some("w".into());
    let kept = cx.apply(&map).await;
    match widget.spec.store.as_deref() {
        Some("poll") if kept.is_err() => Err(WidgetError::NotYet),
        Some("requeue") if kept.is_err() => {
            cx.requeue_after(Duration::from_secs(5));
            Ok(())
        }
        _ => Ok(kept.map(drop)?),
    }
}

#[reconciler(conditions = WidgetCondition, retry = spec.interval)]
async fn keeping(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    fetch(widget, lab, cx).await?;
    keep(widget, lab, cx).await?;
    Ok(())
}

/// The first write of a config map is answered with 429 and this `Retry-After`.
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

/// How long after the first pass the second one comes.
async fn pause_of(spec: &Value, retry_after: u32) -> Duration {
    let (world, lab) = (busy(spec, retry_after).await, Lab::at("a"));
    let operator = world.operator::<keeping>(lab.clone());
    let pause = eventually(Duration::from_secs(3600), || async { lab.pauses("keep").first().copied() }).await;
    operator.stop().await.unwrap();
    pause
}

#[tokio::test(start_paused = true)]
async fn the_api_server_is_not_asked_again_before_it_wants_to_be() {
    for spec in [json!({}), json!({ "interval": "5s" }), json!({ "store": "poll" }), json!({ "store": "requeue" })] {
        let pause = pause_of(&spec, 200).await;
        assert_eq!(pause.as_secs(), 200, "{spec}");
    }
    let pause = pause_of(&json!({ "interval": "10m" }), 20).await;
    assert!((450..=600).contains(&pause.as_secs()), "the longer one counts: {pause:?}");
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_out_of_bounds_is_clamped_and_told_once() {
    let world = busy(&json!({}), u32::MAX).await;
    let lab = Lab::at("a");
    let operator = world.operator::<keeping>(lab.clone());
    let seen = |e: &Event| e.reason.as_deref() == Some("Clamped");
    eventually(SOON, || async { world.events("w").await.iter().any(seen).then_some(()) }).await;
    tokio::time::sleep(Duration::from_secs(7200)).await;
    assert_eq!(lab.log(), ["fetch", "keep"], "two hours are not thirty days");
    operator.stop().await.unwrap();
    let events = world.events("w").await;
    let told: Vec<_> = events.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).collect();
    assert_eq!(told.len(), 1);
    let wanted = "the Retry-After of the API server of 4294967295s was clamped to 2592000s";
    assert_eq!(told[0].message.as_deref(), Some(wanted));
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

/// The seconds between the passes that start within the time.
async fn pauses(lab: &Lab, within: u64) -> Vec<u64> {
    eventually(SOON, || async { (!lab.log().is_empty()).then_some(()) }).await;
    tokio::time::sleep(Duration::from_secs(within)).await;
    lab.pauses("fetch").iter().map(Duration::as_secs).collect()
}

#[tokio::test(start_paused = true)]
async fn a_function_of_the_object_says_when_to_run_again() {
    for (child, hours) in [(json!("x"), 1_u64), (json!(null), 2)] {
        let (_world, lab, operator) = start(json!({ "child": child })).await;
        // The first one has the phase of the object; from then on the interval counts, with the jitter of the object.
        let pauses = &pauses(&lab, 5 * hours * 3600).await[1..];
        assert!(pauses.len() > 1, "{pauses:?}");
        let (least, most) = (hours * 3600 * 9 / 10, hours * 3600 * 11 / 10);
        assert!(pauses.iter().all(|pause| (least..=most).contains(pause)), "{pauses:?}");
        assert!(pauses.iter().all(|pause| pause.abs_diff(pauses[0]) <= 1), "always the same: {pauses:?}");
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_tried_again_after_the_time_that_the_object_says() {
    let (world, lab, operator) = start(json!({ "fetch": "broken", "interval": "40s" })).await;
    let pauses = pauses(&lab, 300).await;
    assert!(pauses.len() > 5 && pauses.iter().all(|pause| (29..=40).contains(pause)), "{pauses:?}");
    assert_eq!(world.events("w").await.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).count(), 0);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failure_follows_the_curve_where_the_object_says_nothing() {
    let (_world, lab, operator) = start(json!({ "fetch": "broken" })).await;
    let pauses = pauses(&lab, 300).await;
    assert!(pauses.len() > 4 && pauses.last() > Some(&30), "{pauses:?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn times_out_of_bounds_are_clamped_and_told_once() {
    let (world, lab, operator) = start(json!({ "fetch": "broken", "interval": "10ms" })).await;
    let pauses = pauses(&lab, 30).await;
    assert!(pauses.len() > 10 && pauses.iter().all(|pause| *pause <= 1), "{pauses:?}");
    let events = world.events("w").await;
    let told: Vec<_> = events.iter().filter(|e| e.reason.as_deref() == Some("Clamped")).collect();
    assert_eq!(told.len(), 1);
    let wanted = "the time-out of 10ms was clamped to 1s; the retry interval of 10ms was clamped to 1s";
    assert_eq!(told[0].message.as_deref(), Some(wanted));
    operator.stop().await.unwrap();
}

/// The reason and the message of Ready, once the time-out shows.
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
async fn a_step_has_a_time_out_of_its_own() {
    let (world, _lab, operator) = start(json!({ "fetch": "hang" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 120s");
    assert_eq!(status_of(&world.raw::<Widget>("w").await, "Reconciling"), "True", "it is tried again");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_pass_has_the_time_that_the_object_says() {
    for (interval, wanted) in [(json!("7m"), "420s"), (json!(null), "300s")] {
        let (world, _lab, operator) = start(json!({ "store": "hang", "interval": interval })).await;
        assert_eq!(timed_out(&world, "Stored").await, format!("step store did not end within {wanted}"));
        // Not stopped: its next pass may hang already.
        operator.crash().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_the_pass_stays_around_that_of_its_steps() {
    let (world, _lab, operator) = start(json!({ "fetch": "hang", "interval": "30s" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 30s");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_joined_step_that_times_out_stops_no_other() {
    let (world, _lab, operator) = start_with::<joined>(json!({ "fetch": "hang" })).await;
    assert_eq!(timed_out(&world, "Fetched").await, "step fetch did not end within 120s");
    assert_eq!(status_of(&world.raw::<Widget>("w").await, "Stored"), "True");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn in_a_loop_each_item_has_the_time_of_the_step() {
    let (world, lab, operator) = start_with::<in_parts>(json!({})).await;
    assert_eq!(timed_out(&world, "Stored").await, "1 of 3 failed: step store_part did not end within 60s");
    assert_eq!(lab.log()[..4], ["fetch", "one", "hang", "two"]);
    operator.stop().await.unwrap();
}

/// On the real clock: the paused one stands still while a thread works.
#[tokio::test]
async fn after_the_time_out_of_a_step_its_blocking_work_keeps_the_object() {
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
async fn intervals_and_time_outs_converge_from_everywhere() {
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
        // One of them runs each hour, the other one every two. With the jitter of 5 % four hours hold at most five and three runs; a run
        // that falls into a crash is left out.
        let before = lab.log().len();
        tokio::time::sleep(Duration::from_secs(4 * 3600)).await;
        let runs = lab.log().len() - before;
        assert!((3..=8).contains(&runs), "{runs}");
    })
    .await;
}
