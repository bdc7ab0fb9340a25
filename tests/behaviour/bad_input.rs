//! Bad input and failures: each ends in a clear condition, event or log line, and none affects another object.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready, status_of, widget};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn start(world: &World) -> (Arc<Lab>, Running) {
    let lab = Lab::at("a");
    (lab.clone(), world.operator::<widget>(lab))
}

/// Checks that another object is still reconciled.
async fn and_others_live(world: &World) {
    let name = format!("other{}", world.wire.calls().len());
    world.create::<Widget>(a_widget(&name, json!({}))).await;
    world.until::<Widget>(&name, "another object is ready", is_ready).await;
}

/// Fails the first `times` status writes with a fault.
fn first_status_writes(times: usize, fault: Fault) -> impl FnMut(&Call) -> Option<Fault> {
    let mut left = times;
    move |call| {
        let hit = call.is_status_write() && left > 0;
        left -= usize::from(hit);
        hit.then(|| fault.clone())
    }
}

/// A CRD that accepts objects which do not fit the type.
fn lax() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
    let mut crd = serde_json::to_value(definition()).unwrap();
    let schema = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    schema["spec"] = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let status = &mut schema["status"];
    status["x-kubernetes-preserve-unknown-fields"] = json!(true);
    serde_json::from_value(crd).unwrap()
}

#[tokio::test]
async fn an_undecodable_object_does_not_affect_others() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&lax()).await;
    let resource = kube::core::ApiResource::erase::<Widget>(&());
    let raw: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), &world.namespace, &resource);
    let odd: DynamicObject = serde_json::from_value(a_widget("odd", json!({ "interval": { "no": "text" } }))).unwrap();
    eventually(SOON, || async { raw.create(&PostParams::default(), &odd).await.ok() }).await;
    let (logs, _capturing) = Logs::capture();
    let (_, operator) = start(&world);
    and_others_live(&world).await;
    assert_eq!(logs.with(&["WARN", "odd", "interval"]).len(), 1, "logged once, naming object and field");
    assert_eq!(world.raw::<Widget>("odd").await["status"]["observedGeneration"], -1, "untouched");
    // After the correction it is reconciled like any other object.
    raw.patch("odd", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "interval": "10m" } }))).await.unwrap();
    world.until::<Widget>("odd", "ready", is_ready).await;
    // An object that becomes invalid again is skipped.
    raw.patch("odd", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "interval": [] } }))).await.unwrap();
    and_others_live(&world).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn unknown_status_fields_are_preserved_without_writes() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&lax()).await;
    world.create::<Widget>(a_widget("w", json!({ "interval": "1s" }))).await;
    let status = json!({ "status": { "theirs": { "deep": [1, 2] } } });
    world.api::<Widget>().patch_status("w", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    let (lab, operator) = start(&world);
    world.until::<Widget>("w", "ready", is_ready).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let passes = lab.passes();
    world.wire.clear();
    eventually(SOON, || async { (lab.passes() >= passes + 3).then_some(()) }).await;
    assert_eq!(world.wire.count(Call::is_write), 0);
    assert_eq!(world.raw::<Widget>("w").await["status"]["theirs"], json!({ "deep": [1, 2] }));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_status_timestamp_that_always_changes_logs_a_warning() {
    let world = world().await;
    let (logs, _capturing) = Logs::capture();
    let lab = Lab::stamping();
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "interval": "1s" }))).await;
    eventually(SOON, || async { (!logs.with(&["WARN", "stamp", "time stamp"]).is_empty()).then_some(()) }).await;
    let passes = lab.passes();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(lab.passes() - passes <= 3, "one pass per interval, no loop");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_out_of_bounds_interval_is_clamped_and_logged_once() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "interval": "5ms" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    eventually(SOON, || async { (lab.passes() >= 3).then_some(()) }).await;
    let pauses = lab.pauses("fetch w");
    assert!(pauses.iter().skip(1).all(|pause| *pause >= Duration::from_millis(900)), "no hot loop: {pauses:?}");
    let clamped = eventually(SOON, || async {
        let mut events = world.events("w").await;
        events.retain(|event| event.reason.as_deref() == Some("Clamped"));
        (!events.is_empty()).then_some(events)
    })
    .await;
    assert_eq!(clamped.len(), 1);
    assert!(clamped[0].message.as_deref().unwrap().contains("5ms"), "{clamped:?}");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_reserved_condition_of_another_manager_is_removed() {
    let world = world().await;
    world.wire.observers().excuse("w");
    let (lab, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "interval": "1s" }))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    let mut conditions = object["status"]["conditions"].as_array().unwrap().clone();
    conditions.push(json!({ "type": "Reconciling", "status": "True", "reason": "Theirs", "message": "m" }));
    conditions.push(json!({ "type": "Theirs", "status": "True", "reason": "Theirs", "message": "m" }));
    let params = PatchParams { field_manager: Some("stranger".into()), ..PatchParams::default() };
    let patch = Patch::Merge(json!({ "status": { "conditions": conditions } }));
    world.api::<Widget>().patch_status("w", &params, &patch).await.unwrap();
    let object = world.until::<Widget>("w", "the mark is gone", |o| condition(o, "Reconciling").is_none()).await;
    assert_eq!(condition(&object, "Theirs").unwrap()["reason"], "Theirs", "what is not ours stays");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let passes = lab.passes();
    world.wire.clear();
    eventually(SOON, || async { (lab.passes() >= passes + 4).then_some(()) }).await;
    assert_eq!(world.wire.count(Call::is_write), 0, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_panic_is_reported_on_its_object() {
    let world = world().await;
    let (_, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "fetch": "panic" }))).await;
    let object = world.until::<Widget>("w", "the panic shows", |o| status_of(o, "Fetched") == "False").await;
    let fetched = condition(&object, "Fetched").unwrap();
    assert_eq!(fetched["reason"], "Panicked");
    assert!(fetched["message"].as_str().unwrap().contains("as the test wished"));
    assert_eq!(status_of(&object, "Reconciling"), "True", "it is tried again");
    and_others_live(&world).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_step_that_never_returns_is_timed_out() {
    let world = world().await;
    let (_, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hang" }))).await;
    and_others_live(&world).await;
    let object = world.until::<Widget>("w", "the time-out shows", |o| status_of(o, "Fetched") == "False").await;
    assert_eq!(condition(&object, "Fetched").unwrap()["reason"], "TimedOut");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_object_deleted_during_a_pass_is_cleaned_up() {
    let world = world().await;
    let lab = Lab::at("a");
    let held = lab.hold.lock().await;
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(SOON, || async { (lab.passes() == 1).then_some(()) }).await;
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    drop(held);
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(lab.cleanups(), 1);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_failing_cleanup_is_reported_and_retried() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.merge::<Widget>("w", json!({ "spec": { "store": "broken" } })).await;
    world.until::<Widget>("w", "failing", |o| status_of(o, "Stored") == "False").await;
    world.wire.clear();
    world.api::<Widget>().delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Widget>().get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(lab.cleanups(), 3);
    // The finalizer is removed last: no status write follows.
    let last = world.wire.calls().into_iter().rfind(|call| call.is_write() && !call.is_event()).unwrap();
    assert!(last.body.contains("finalizers"), "{last:?}");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_failed_status_write_is_retried_without_the_body() {
    for (code, retry_after) in [(500, None), (429, Some(1)), (403, None), (422, None)] {
        let world = world().await;
        let (lab, operator) = start(&world);
        world.wire.fault(first_status_writes(2, Fault::Answer(code, retry_after)));
        world.create::<Widget>(a_widget("w", json!({}))).await;
        world.until::<Widget>("w", "ready in the end", is_ready).await;
        assert_eq!(lab.passes(), 1, "{code}: the body ran once");
        let warned = world.events("w").await.iter().any(|event| event.reason.as_deref() == Some("StatusNotWritten"));
        assert_eq!(warned, matches!(code, 403 | 422), "{code}");
        operator.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_conflicting_status_write_is_resent_without_the_body() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.wire.fault(first_status_writes(1, Fault::Answer(409, None)));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!((lab.passes(), condition(&object, "Reconciling")), (1, None));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_unanswered_call_blocks_only_its_object() {
    let world = world().await;
    let (_, operator) = start(&world);
    world.wire.fault(|call| (call.path.ends_with("/configmaps/silent") && call.is_write()).then_some(Fault::Silence));
    world.create::<Widget>(a_widget("silent", json!({ "child": "x" }))).await;
    and_others_live(&world).await;
    world
        .until::<Widget>("silent", "timed out", |o| condition(o, "Stored").is_some_and(|c| c["reason"] == "TimedOut"))
        .await;
    world.wire.mend();
    world.until::<Widget>("silent", "ready once the server answers", is_ready).await;
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_status_write_times_out_and_is_retried() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.wire.fault(first_status_writes(1, Fault::Silence));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(Duration::from_secs(300), || async { is_ready(&world.raw::<Widget>("w").await).then_some(()) }).await;
    assert_eq!(lab.passes(), 1, "the body ran once");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_watch_that_never_starts_blocks_only_its_dependents() {
    let world = world().await;
    world.wire.fault(|call| call.path.contains("/secrets").then_some(Fault::Answer(403, None)));
    let (_, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "secret": "locked" }))).await;
    let object = world.until::<Widget>("w", "the reason is shown", |o| status_of(o, "Fetched") == "False").await;
    assert_eq!(condition(&object, "Fetched").unwrap()["reason"], "SecretMissing");
    assert!(condition(&object, "Fetched").unwrap()["message"].as_str().unwrap().contains("planted 403"), "{object:#}");
    and_others_live(&world).await;
    world.wire.mend();
    let secret: Secret = serde_json::from_value(json!({ "metadata": { "name": "locked" } })).unwrap();
    world.api::<Secret>().create(&PostParams::default(), &secret).await.unwrap();
    world.until::<Widget>("w", "ready once the role allows it", is_ready).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_expired_watch_lists_again_and_loses_nothing() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let cluster = world.cluster.as_ref().unwrap();
    world.wire.freeze();
    for i in 0..5 {
        world.merge::<Widget>("w", json!({ "spec": { "child": format!("x{i}") } })).await;
    }
    cluster.compact();
    cluster.drop_watches();
    world.wire.thaw();
    world
        .until::<Widget>("w", "ready in its last generation", |o| is_ready(o) && o["metadata"]["generation"] == 6)
        .await;
    assert!(lab.passes() >= 2);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_created_secret_triggers_the_waiting_object() {
    let world = world().await;
    let (lab, operator) = start(&world);
    world.create::<Widget>(a_widget("w", json!({ "secret": "s" }))).await;
    world.create::<Widget>(a_widget("idle", json!({}))).await;
    world.until::<Widget>("w", "waiting", |o| status_of(o, "Fetched") == "False").await;
    world.until::<Widget>("idle", "ready", is_ready).await;
    let secret: Secret =
        serde_json::from_value(json!({ "metadata": { "name": "s" }, "stringData": { "k": "hidden-value" } })).unwrap();
    world.api::<Secret>().create(&PostParams::default(), &secret).await.unwrap();
    world.until::<Widget>("w", "ready", is_ready).await;
    let idle = lab.log().iter().filter(|line| *line == "fetch idle").count();
    assert_eq!(idle, 1, "nobody else was woken");
    let events: Vec<Value> = world.events("w").await.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert!(!json!([events, world.raw::<Widget>("w").await]).to_string().contains("hidden-value"));
    operator.stop().await.unwrap();
}
