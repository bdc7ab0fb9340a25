//! Effects of errors: classes and variants, events, log lines, poll times.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{Actions, EventLevel, LogLevel, Reconciler, SubReconciler};
use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, a_widget, condition, definition, is_ready, on};
use serde_json::{Value, json};

/// One variant for each effect.
#[derive(Debug, thiserror::Error, ReconcileError)]
enum StepError {
    /// A person must help.
    #[error("nobody can")]
    #[class(stalled)]
    Hopeless,
    /// Later, after this time.
    #[error("not now")]
    #[class(waiting(poll = self.after))]
    Later {
        /// How long.
        after: Option<Duration>,
    },
    /// Later, in a tuple.
    #[error("soon")]
    #[class(waiting(poll = self.0), event = "warning", reason = "Postponed")]
    Soon(Interval),
    /// It fails.
    #[error("it broke")]
    #[class(transient)]
    Broken,
    /// It fails without an event.
    #[error("it broke a bit")]
    #[class(transient, event = "none", log = "debug", notify = false)]
    Quiet,
    /// Nothing to do.
    #[error("no need")]
    #[class(ignored)]
    Needless,
}

/// Returns the outcome that the spec names.
#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored))]
async fn obey(widget: &Widget, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), StepError> {
    lab.note("obey");
    let after = widget.spec.interval.map(Duration::from);
    match widget.spec.fetch.as_deref() {
        Some("hopeless") => Err(StepError::Hopeless),
        Some("later") => Err(StepError::Later { after }),
        Some("never") => Err(StepError::Later { after: Some(Duration::ZERO) }),
        Some("soon") => Err(StepError::Soon(Duration::from_secs(90).into())),
        Some("broken") => Err(StepError::Broken),
        Some("quiet") => Err(StepError::Quiet),
        Some("needless") => Err(StepError::Needless),
        Some("panic") => panic!("as the test wished"),
        _ => Ok(()),
    }
}

#[reconciler(conditions = WidgetCondition)]
async fn obedient(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    obey(widget, lab, cx).await?;
    Ok(())
}

on_each_server!(each_class_emits_its_own_event, every_recovery_emits_an_event);

async fn start(world: &World) -> (Arc<Lab>, Running) {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    (lab.clone(), world.operator::<obedient>(lab))
}

async fn in_process() -> World {
    World::on(Server::InProcess).await.unwrap()
}

/// Waits until Ready has the reason.
async fn shows(world: &World, name: &str, reason: &str) -> Value {
    let shown = |o: &Value| condition(o, "Ready").is_some_and(|ready| ready["reason"] == reason);
    world.until::<Widget>(name, reason, shown).await
}

/// Types and reasons of the sent events about an object, from its calls: one of the servers returns events differently.
async fn sent_events(world: &World, name: &str) -> Vec<(String, String)> {
    let calls = world.wire.calls();
    let sent = || calls.iter().filter(|call| call.is_event() && call.is_write());
    let bodies: Vec<Value> = sent().filter_map(|call| serde_json::from_str(&call.body).ok()).collect();
    // A repeated event names only its series.
    let first = |call: &Call| {
        let same = |event: &&Value| event["metadata"]["name"].as_str().is_some_and(|name| call.path.ends_with(name));
        bodies.iter().find(same).filter(|_| call.method == "PATCH")
    };
    let all = sent().zip(&bodies).map(|(call, body)| first(call).unwrap_or(body));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let about = all.filter(|event| event["regarding"]["name"] == name);
    about.map(|event| (text(&event["type"]), text(&event["reason"]))).collect()
}

/// Waits for the first event about an object.
async fn first(world: &World, name: &str) -> (String, String) {
    eventually(SOON, || async { sent_events(world, name).await.into_iter().next() }).await
}

async fn each_class_emits_its_own_event(world: World) -> World {
    let (_, operator) = start(&world).await;
    for (how, reason, type_) in [
        ("hopeless", "Hopeless", "Warning"),
        ("later", "Later", "Normal"),
        ("soon", "Postponed", "Warning"),
        ("broken", "Broken", "Warning"),
        ("panic", "Panicked", "Warning"),
    ] {
        world.create::<Widget>(a_widget(how, json!({ "fetch": how }))).await;
        shows(&world, how, reason).await;
        assert_eq!(first(&world, how).await, (type_.to_owned(), reason.to_owned()));
    }
    world.create::<Widget>(a_widget("quiet", json!({ "fetch": "quiet" }))).await;
    shows(&world, "quiet", "Quiet").await;
    // The error is in the conditions, and the next transition emits an event.
    world.merge::<Widget>("quiet", json!({ "spec": { "fetch": null } })).await;
    world.until::<Widget>("quiet", "ready", is_ready).await;
    assert_eq!(first(&world, "quiet").await, ("Normal".into(), "Succeeded".into()));
    assert_eq!(sent_events(&world, "quiet").await.len(), 1, "nothing of the error");
    operator.stop().await.unwrap();
    world
}

async fn every_recovery_emits_an_event(world: World) -> World {
    let (_, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "broken" } })).await;
    shows(&world, "w", "Broken").await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let normal = || async {
        let sent_events = sent_events(&world, "w").await;
        (sent_events.iter().filter(|(type_, _)| type_ == "Normal").count() >= 2).then_some(())
    };
    eventually(SOON, normal).await;
    let before = sent_events(&world, "w").await.len();
    // An ignored error without a previous failure emits no event.
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "needless" } })).await;
    world.until::<Widget>("w", "observed", |o| is_ready(o) && o["metadata"]["generation"] == 4).await;
    assert_eq!(sent_events(&world, "w").await.len(), before);
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn an_error_is_logged_once_at_the_level_of_its_variant() {
    let world = in_process().await;
    let (logs, _capturing) = Logs::capture();
    let (_, operator) = start(&world).await;
    for (how, reason, message, level) in [
        ("hopeless", "Hopeless", "nobody can", "ERROR"),
        ("later", "Later", "not now", "INFO"),
        ("broken", "Broken", "it broke", "WARN"),
        ("quiet", "Quiet", "it broke a bit", "DEBUG"),
        ("panic", "Panicked", "as the test wished", "ERROR"),
    ] {
        world.create::<Widget>(a_widget(how, json!({ "fetch": how }))).await;
        shows(&world, how, reason).await;
        let object = format!("/{how} ");
        let lines = logs.with(&[&object, message]);
        let passes = logs.with(&[&object, "pass ended"]).len();
        assert_eq!(lines.len(), passes, "each pass logs it once: {lines:#?}");
        assert!(lines.iter().all(|line| line.contains(level) && line.contains(reason)), "{lines:#?}");
    }
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_retry_follows_the_delay_of_its_error() {
    let world = in_process().await;
    for (how, interval, wanted) in [
        ("later", json!("7m"), 420),
        ("later", json!(null), 30),
        ("soon", json!(null), 90),
        ("later", json!("31d"), 30 * 86_400),
        ("never", json!(null), 1),
    ] {
        let (lab, operator) = start(&world).await;
        world.create::<Widget>(a_widget("w", json!({ "fetch": how, "interval": interval }))).await;
        eventually(SOON, || async { (!lab.log().is_empty()).then_some(()) }).await;
        tokio::time::sleep(Duration::from_secs(2 * wanted + 1)).await;
        assert!(lab.pauses("obey").len() > 1, "{how} {interval}");
        for pause in lab.pauses("obey") {
            assert_eq!(pause.as_secs(), wanted, "{how} {interval}");
        }
        operator.stop().await.unwrap();
        world.api::<Widget>().delete("w", &kube::api::DeleteParams::default()).await.unwrap();
    }
    let sent_events = sent_events(&world, "w").await;
    assert_eq!(sent_events.iter().filter(|(_, reason)| reason == "Clamped").count(), 2, "once each: {sent_events:?}");
}

#[tokio::test]
async fn an_out_of_bounds_poll_time_is_logged_once() {
    let world = in_process().await;
    let (lab, operator) = start(&world).await;
    world.create::<Widget>(a_widget("w", json!({ "fetch": "never" }))).await;
    eventually(SOON, || async { (lab.pauses("obey").len() > 1).then_some(()) }).await;
    let clamped: Vec<_> =
        world.events("w").await.into_iter().filter(|e| e.reason.as_deref() == Some("Clamped")).collect();
    assert_eq!(clamped.len(), 1);
    assert_eq!(clamped[0].message.as_deref(), Some("the poll time of 0ns was clamped to 1s"));
    operator.stop().await.unwrap();
}

#[test]
fn error_actions_are_known_at_compile_time() {
    let steps = <obedient as Reconciler>::WIRING.steps;
    let known: Vec<_> = steps[0].errors.iter().map(|info| (info.reason, info.class, info.doc)).collect();
    assert_eq!(known[0], ("Hopeless", "stalled", "A person must help."));
    assert_eq!(known[2], ("Postponed", "waiting", "Later, in a tuple."));
    let actions: Vec<_> = StepError::VARIANTS.iter().map(|info| info.actions).collect();
    let quiet = Actions::WAITING.with_event(EventLevel::None).with_log(LogLevel::Debug);
    let warned = Actions::WAITING.with_event(EventLevel::Warning);
    let all = [Actions::STALLED, Actions::WAITING, warned, Actions::TRANSIENT, quiet, Actions::IGNORED];
    assert_eq!(actions, all);
    assert_eq!(StepError::Quiet.actions(), quiet);
    // A step alone has no error metadata; its reconciler has.
    assert!(<obey as SubReconciler>::WIRING.errors.is_empty());
}
