//! Hooks on the outcome: the last change of the author to a pass, and reports to observers of the operator.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::hook::Report;
use evenkeel::prelude::*;
use evenkeel::{EventLevel, LogLevel};
use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetStatus, a_widget, condition, definition, is_ready, on,
};
use kube::api::DeleteParams;
use serde_json::{Value, json};

#[derive(Debug, thiserror::Error, ReconcileError)]
enum StepError {
    #[error("it broke")]
    #[class(transient)]
    Broken,
    #[error("it broke a bit")]
    #[class(transient, event = "none", notify = false)]
    Quiet,
    #[error("it is stuck")]
    #[class(transient)]
    Stuck,
}

/// Returns the outcome that the spec names.
#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored), external)]
async fn obey(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), StepError> {
    lab.note("obey");
    cx.status().fetched = widget.spec.fetch.clone();
    match widget.spec.fetch.as_deref() {
        Some("broken") => Err(StepError::Broken),
        Some("quiet") => Err(StepError::Quiet),
        _ => Ok(()),
    }
}

/// Fails once, then succeeds.
#[cleanup(of = obey)]
async fn undo(_widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx<'_, obey>) -> Result<(), StepError> {
    lab.note("undo");
    if lab.log().iter().filter(|line| *line == "undo").count() < 2 { Err(StepError::Stuck) } else { Ok(()) }
}

/// Records what it receives and changes what the spec names.
fn report(widget: &Widget, end: &mut PassEnd<'_, WidgetStatus>) {
    let error = end.error().map_or("-", |error| error.reason()).to_owned();
    let outcome = end.outcome().as_str();
    assert!(end.conditions().iter().any(|c| c.type_ == "Ready"));
    end.status().stored = Some(format!("{outcome} {error}"));
    match widget.spec.store.as_deref() {
        Some("announce") => {
            let event = end.event().map(|event| event.reason.clone());
            assert_eq!(event, end.is_transition().then(|| "Broken".to_owned()), "none while idle");
            end.announce(EventLevel::Normal, "Announced", "by the hook, see https://me:secret@example.com");
        }
        Some("silence") => end.silence(),
        Some("whisper") => end.log(LogLevel::Debug),
        Some("panic") => panic!("as the test wished"),
        Some("count") => {
            let count = end.status().stamp.as_ref().and_then(|count| count.parse().ok()).unwrap_or(0_u32);
            end.status().stamp = Some((count + 1).to_string());
        }
        _ => {}
    }
}

#[reconciler(conditions = WidgetCondition, on_end = report)]
async fn hooked(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    obey(widget, lab, cx).await?;
    Ok(())
}

/// An observed report.
#[derive(Clone, Debug)]
struct Noted {
    outcome: &'static str,
    reason: String,
    message: String,
    notify: bool,
    transition: bool,
    recovery: bool,
    deleting: bool,
}

type Notes = Arc<Mutex<Vec<Noted>>>;

fn note(notes: &Notes, report: &Report<'_>) {
    assert_eq!((report.reconciler, report.name), ("hooked", "w"));
    assert!(report.namespace.is_some() && !report.uid.is_empty() && report.duration > Duration::ZERO);
    notes.lock().unwrap().push(Noted {
        outcome: report.outcome.as_str(),
        reason: report.reason.to_owned(),
        message: report.message.to_owned(),
        notify: report.notify,
        transition: report.transition,
        recovery: report.recovery,
        deleting: report.deleting,
    });
}

fn noted(notes: &Notes) -> Vec<Noted> {
    notes.lock().unwrap().clone()
}

/// Starts an operator with three observers, of which the second panics.
async fn start(world: &World) -> (Arc<Lab>, Notes, Running) {
    world.install(&definition()).await;
    let (lab, notes) = (Lab::at("a"), Notes::default());
    let shared = notes.clone();
    let operator =
        world.prepare::<hooked>(lab.clone()).on_pass_end(|_| {}).on_pass_end(|_| panic!("as the test wished"));
    let operator = operator.on_pass_end(move |report| note(&shared, report));
    (lab, notes, Running::start(operator))
}

async fn in_process() -> World {
    World::on(Server::InProcess).await.unwrap()
}

async fn shows(world: &World, reason: &str) -> Value {
    let shown = |o: &Value| condition(o, "Ready").is_some_and(|ready| ready["reason"] == reason);
    world.until::<Widget>("w", reason, shown).await
}

/// Type, reason and note of the sent events, from their calls: one of the servers returns events differently.
fn sent_events(world: &World) -> Vec<(String, String, String)> {
    let sent = world.wire.calls().into_iter().filter(|call| call.is_event() && call.is_write());
    let bodies = sent.map(|call| serde_json::from_str::<Value>(&call.body).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    bodies.map(|event| (text(&event["type"]), text(&event["reason"]), text(&event["note"]))).collect()
}

on_each_server!(
    changes_by_a_hook_share_the_status_write,
    a_hook_replaces_and_suppresses_events,
    a_failed_cleanup_runs_hook_and_report,
);

async fn changes_by_a_hook_share_the_status_write(world: World) -> World {
    let (_, notes, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "fine" }))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!((&object["status"]["stored"], &object["status"]["fetched"]), (&json!("Done -"), &json!("fine")));
    assert_eq!(world.wire.count(Call::is_status_write), 1, "{:#?}", world.wire.calls());
    eventually(SOON, || async { (!noted(&notes).is_empty()).then_some(()) }).await;
    operator.stop().await.unwrap();
    assert_eq!(noted(&notes).len(), 1, "own writes trigger nothing");
    world
}

async fn a_hook_replaces_and_suppresses_events(world: World) -> World {
    let (_, _, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken", "store": "announce" }))).await;
    shows(&world, "Broken").await;
    let (type_, reason, note) = eventually(SOON, || async { sent_events(&world).into_iter().next() }).await;
    assert_eq!((&*type_, &*reason), ("Normal", "Announced"));
    assert!(note.contains("by the hook") && !note.contains("secret"), "{note}");
    world.merge::<Widget>("w", json!({ "spec": { "fetch": null, "store": "silence" } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    assert_eq!(sent_events(&world).len(), 1, "nothing of the recovery: {:?}", sent_events(&world));
    world
}

async fn a_failed_cleanup_runs_hook_and_report(world: World) -> World {
    let (lab, notes, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    world.until::<Widget>("w", "the hook", |o| o["status"]["stored"] == "Failed Stuck").await;
    let deleted = || async { noted(&notes).into_iter().find(|note| note.deleting && note.outcome == "Done") };
    eventually(SOON, deleted).await;
    operator.stop().await.unwrap();
    let notes = noted(&notes);
    assert_eq!(notes.len(), lab.log().len(), "one report for each pass: {notes:#?}");
    assert!(notes.iter().any(|note| note.deleting && note.outcome == "Failed" && note.reason == "Stuck"), "{notes:#?}");
    world
}

#[tokio::test]
async fn every_pass_reports_once_with_its_error_actions() {
    let world = in_process().await;
    let (lab, notes, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken" }))).await;
    eventually(SOON, || async { (noted(&notes).len() >= 2).then_some(()) }).await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "quiet" } })).await;
    shows(&world, "Quiet").await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "again" } })).await;
    world.until::<Widget>("w", "ready again", |o| is_ready(o) && o["status"]["fetched"] == "again").await;
    operator.stop().await.unwrap();
    let notes = noted(&notes);
    assert_eq!(notes.len(), lab.log().len(), "{notes:#?}");
    for note in &notes {
        let (reason, message, notify) = match note.reason.as_str() {
            "Broken" => ("Broken", "it broke", true),
            "Quiet" => ("Quiet", "it broke a bit", false),
            _ => ("Succeeded", "The revision is known.", note.recovery),
        };
        assert_eq!((&*note.reason, &*note.message, note.notify), (reason, message, notify));
    }
    let transitions: Vec<_> = notes.iter().filter(|note| note.transition).map(|note| note.reason.clone()).collect();
    assert_eq!(transitions, ["Broken", "Quiet", "Succeeded"]);
    let recoveries: Vec<_> = notes.iter().filter(|note| note.recovery).map(|note| note.outcome).collect();
    assert_eq!(recoveries, ["Done"], "a recovery is seen once");
}

#[tokio::test]
async fn a_panic_in_a_hook_is_logged_and_changes_nothing() {
    let world = in_process().await;
    let (logs, _capturing) = Logs::capture();
    let (_, notes, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "store": "panic" }))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(object["status"]["stored"], Value::Null, "what the hook began is left out");
    eventually(SOON, || async { (!noted(&notes).is_empty()).then_some(()) }).await;
    operator.stop().await.unwrap();
    assert_eq!(logs.with(&["ERROR", "hook=\"report\"", "as the test wished"]).len(), 1);
    assert_eq!(logs.with(&["ERROR", "hook=\"observe\"", "as the test wished"]).len(), 1);
}

#[tokio::test]
async fn a_hook_sets_the_log_level() {
    let world = in_process().await;
    let (logs, _capturing) = Logs::capture();
    let (_, _, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken", "store": "whisper" }))).await;
    shows(&world, "Broken").await;
    operator.stop().await.unwrap();
    let lines = logs.with(&["pass ended", "it broke"]);
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("DEBUG")), "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn changes_by_a_hook_do_not_reset_the_back_off() {
    let world = in_process().await;
    let (lab, _, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken", "store": "count" }))).await;
    tokio::time::sleep(Duration::from_secs(120)).await;
    operator.stop().await.unwrap();
    let (passes, pauses) = (lab.log().len(), lab.pauses("obey"));
    let object = world.raw::<Widget>("w").await;
    assert_eq!(object["status"]["stamp"], passes.to_string(), "the hook counted each pass");
    assert!(pauses.last() > pauses.first().map(|first| *first * 8).as_ref(), "{pauses:?}");
}

#[tokio::test(start_paused = true)]
async fn writes_by_hooks_converge_after_any_fault() {
    from_everywhere(&definition(), async |stage| {
        let lab = Lab::at("a");
        stage.operate::<hooked>(lab);
        stage.create::<Widget>(a_widget("w", json!({ "fetch": "broken", "store": "silence" }))).await;
        stage.create::<Widget>(a_widget("goes", json!({}))).await;
        stage.rest().await;
        assert_eq!(stage.raw::<Widget>("w").await["status"]["stored"], "Failed Broken");
        stage.merge::<Widget>("w", json!({ "spec": { "fetch": "fine" } })).await;
        stage.delete::<Widget>("goes").await;
        assert_eq!(stage.raw::<Widget>("w").await["status"]["stored"], "Done -");
    })
    .await;
}
