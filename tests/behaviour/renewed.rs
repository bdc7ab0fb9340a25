//! Late digests: a change of labels, annotations, owned objects or the code runs the body without a separate status write.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, revised, widget};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// Enough time for everything that needs no timer.
const SETTLED: Duration = Duration::from_secs(5);
/// An annotation that no step of the widget reads.
const RENEWED: &str = "example.com/renewed";

/// A world that starts on the full hour: the uid of an object and the time of day decide when a late digest is stored.
async fn world_on_the_hour() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let past = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() % HOUR.as_secs();
    sleep(HOUR - Duration::from_secs(past)).await;
    world
}

/// Seeds a widget with the uid of this number. Those of 0 to 39 store a late digest between the third and the 58th minute of an hour.
async fn seed(world: &World, name: &str, number: u32, spec: Value) {
    let mut widget = a_widget(name, spec);
    widget["metadata"]["namespace"] = json!(world.namespace);
    let drawn = (number + 28).wrapping_mul(0x9e37_79b9);
    widget["metadata"]["uid"] = json!(format!("{drawn:08x}-0000-4000-8000-000000000000"));
    world.cluster().seed(widget).await.unwrap();
}

/// A ready widget under an idle operator.
async fn started(spec: Value) -> (World, Arc<Lab>, Running) {
    let world = world_on_the_hour().await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    seed(&world, "w", 0, spec).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    sleep(SETTLED).await;
    world.wire.clear();
    (world, lab, operator)
}

async fn annotate(world: &World, name: &str, value: impl Into<Value>) {
    let value: Value = value.into();
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": { name: value } } })).await;
}

fn status_writes(world: &World) -> usize {
    world.wire.count(Call::is_status_write)
}

/// Restarts the operator and returns how many bodies run at once.
async fn restarted(world: &World, lab: &Arc<Lab>, operator: Running) -> (Running, usize) {
    operator.stop().await.unwrap();
    let before = lab.passes();
    let operator = world.operator::<widget>(lab.clone());
    sleep(SETTLED).await;
    (operator, lab.passes() - before)
}

#[tokio::test(start_paused = true)]
async fn an_annotation_renewed_each_minute_for_a_day_costs_no_write() {
    let (world, lab, operator) = started(json!({})).await;
    let before = lab.passes();
    for minute in 0..1440 {
        annotate(&world, RENEWED, minute.to_string()).await;
        sleep(MINUTE).await;
    }
    assert_eq!((lab.passes() - before, world.writes()), (1440, 0), "the body may read it, and found nothing new");

    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!((bodies, world.writes()), (1, 0), "a restart does not know what the last body saw");
    sleep(HOUR).await;
    assert_eq!(world.writes(), 1, "it stores it within the hour");
    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!((bodies, world.writes()), (0, 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_label_change_writes_the_child_and_no_status() {
    let (world, lab, operator) = started(json!({ "child": "x" })).await;
    let before = lab.passes();
    world.merge::<Widget>("w", json!({ "metadata": { "labels": { "tier": "gold" } } })).await;
    sleep(SETTLED).await;
    assert_eq!((lab.passes() - before, world.writes(), status_writes(&world)), (1, 1, 0), "the child only");
    world.merge::<Widget>("w", json!({ "metadata": { "labels": { "tier": null } } })).await;
    sleep(SETTLED).await;
    assert_eq!((lab.passes() - before, world.writes(), status_writes(&world)), (2, 2, 0), "and back");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_drifted_child_is_corrected_without_a_status_write() {
    let (world, lab, operator) = started(json!({ "child": "x" })).await;
    let before = lab.passes();
    for value in ["y", "z"] {
        world.merge::<ConfigMap>("w", json!({ "data": { "data": value } })).await;
        sleep(SETTLED).await;
        assert_eq!(world.api::<ConfigMap>().get("w").await.unwrap().data.unwrap()["data"], "x");
    }
    assert_eq!((lab.passes() - before, world.writes(), status_writes(&world)), (2, 2, 0), "the child only");

    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!((bodies, status_writes(&world)), (1, 0), "a restart does not know what the last body saw");
    sleep(HOUR).await;
    assert_eq!(status_writes(&world), 1, "it stores it within the hour");
    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!((bodies, status_writes(&world)), (0, 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_reverted_label_runs_the_body_twice() {
    let (world, lab, operator) = started(json!({})).await;
    let before = lab.passes();
    for value in [json!("1"), Value::Null] {
        annotate(&world, RENEWED, value).await;
        sleep(SETTLED).await;
    }
    assert_eq!((lab.passes() - before, world.writes()), (2, 0));
    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!((bodies, world.writes()), (0, 0), "the status holds the digest of the last body");
    sleep(HOUR).await;
    assert_eq!(world.writes(), 0, "so nothing is late");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_late_digest_is_stored_with_the_next_write() {
    let (world, lab, operator) = started(json!({})).await;
    annotate(&world, RENEWED, "1").await;
    sleep(SETTLED).await;
    assert_eq!(status_writes(&world), 0);
    lab.move_to("b");
    annotate(&world, RENEWED, "2").await;
    sleep(SETTLED).await;
    assert_eq!(status_writes(&world), 1, "the revision is another one, and the digest goes with it");
    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert_eq!(bodies, 0);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_late_digest_is_stored_with_the_next_resync() {
    let (world, lab, operator) = started(json!({ "interval": "10m" })).await;
    let before = lab.passes();
    annotate(&world, RENEWED, "1").await;
    sleep(SETTLED).await;
    let resynced = lab.passes() - before > 1;
    assert!(resynced || status_writes(&world) == 0);
    sleep(11 * MINUTE).await;
    assert_eq!(status_writes(&world), 1, "the resync stores it, once");
    let (operator, bodies) = restarted(&world, &lab, operator).await;
    assert!(bodies == 0 || status_writes(&world) == 1, "{bodies} bodies");
    operator.stop().await.unwrap();
}

/// Runs the widgets under a new revision of the code; returns how many bodies ran at once.
async fn upgraded(world: &World, lab: &Arc<Lab>, count: u32) -> Running {
    let operator = world.operator::<widget>(lab.clone());
    for at in 0..count {
        seed(world, &format!("w{at}"), at, json!({})).await;
    }
    sleep(SETTLED).await;
    operator.stop().await.unwrap();
    world.wire.clear();
    assert_eq!(lab.passes(), count as usize);
    world.operator::<revised::widget>(lab.clone())
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_spreads_status_writes_over_an_hour() {
    const COUNT: usize = 40;
    let (world, lab) = (world_on_the_hour().await, Lab::at("a"));
    let operator = upgraded(&world, &lab, 40).await;
    sleep(SETTLED).await;
    assert_eq!(
        (lab.passes(), world.writes()),
        (2 * COUNT, 0),
        "each body ran under the new code, and found nothing new"
    );
    sleep(HOUR / 2).await;
    let half = status_writes(&world);
    assert!((1..COUNT).contains(&half), "{half} of {COUNT} after half of the time");
    sleep(HOUR / 2).await;
    assert_eq!((lab.passes(), world.writes()), (2 * COUNT, COUNT), "one write each, and no body");
    sleep(24 * HOUR).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<revised::widget>(lab.clone());
    sleep(24 * HOUR).await;
    assert_eq!((lab.passes(), world.writes()), (2 * COUNT, COUNT), "a later restart runs no body");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_refused_late_digest_is_rewritten_without_the_body() {
    let (world, lab) = (world_on_the_hour().await, Lab::at("a"));
    let operator = upgraded(&world, &lab, 1).await;
    let mut left = 3;
    world.wire.fault(move |call| {
        let refused = call.is_status_write() && left > 0;
        left -= usize::from(refused);
        refused.then_some(Fault::Answer(500, None))
    });
    sleep(HOUR + 10 * MINUTE).await;
    assert_eq!((lab.passes(), status_writes(&world)), (2, 4), "three refused, and one that went through");
    operator.stop().await.unwrap();
    let operator = world.operator::<revised::widget>(lab.clone());
    sleep(SETTLED).await;
    assert_eq!(lab.passes(), 2);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_condition_of_earlier_code_is_removed_at_once() {
    let (world, lab) = (World::on(Server::InProcess).await.unwrap(), Lab::at("a"));
    world.install(&definition()).await;
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let mut left = world.raw::<Widget>("w").await;
    let condition = json!({ "type": "Left", "status": "True", "reason": "Earlier", "message": "",
        "lastTransitionTime": "2020-01-01T00:00:00Z" });
    left["status"]["conditions"].as_array_mut().unwrap().push(condition);
    let applied = json!({ "apiVersion": left["apiVersion"], "kind": left["kind"], "metadata": { "name": "w" },
        "status": left["status"] });
    let params = PatchParams::apply("tester/widget").force();
    world.api::<Widget>().patch_status("w", &params, &Patch::Apply(applied)).await.unwrap();
    let operator = world.operator::<revised::widget>(lab.clone());
    sleep(SETTLED).await;
    let object = world.raw::<Widget>("w").await;
    let types: Vec<_> = object["status"]["conditions"].as_array().unwrap().iter().map(|c| c["type"].clone()).collect();
    assert!(!types.contains(&json!("Left")), "{types:?}");
    operator.stop().await.unwrap();
}

async fn label_and_code_changes_run_the_body_without_writes(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let ran = async |bodies: usize| {
        eventually(SOON, async || (lab.passes() >= bodies).then_some(())).await;
        world.quiet().await;
        assert_eq!(lab.passes(), bodies);
    };
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    ran(1).await;
    let before = world.writes();
    for nth in 2..5 {
        annotate(&world, RENEWED, nth.to_string()).await;
        ran(nth).await;
    }
    operator.stop().await.unwrap();
    let operator = world.operator::<revised::widget>(lab.clone());
    ran(5).await;
    assert_eq!(world.writes(), before, "neither the annotation nor the code is worth a write");
    world.merge::<Widget>("w", json!({ "spec": { "record": true } })).await;
    ran(6).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<revised::widget>(lab.clone());
    world.quiet().await;
    assert_eq!(lab.passes(), 6, "the write for the spec stored the digest");
    operator.stop().await.unwrap();
    world
}

on_each_server!(label_and_code_changes_run_the_body_without_writes);
