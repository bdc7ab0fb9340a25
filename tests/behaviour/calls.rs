//! The cost of a pass in calls to the API server: counted, not timed.

use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::json;

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn about_objects(call: &Call) -> bool {
    call.path.contains("/widgets/") || call.path.contains("/configmaps/")
}

#[tokio::test]
async fn a_new_object_costs_two_writes_and_one_event() {
    let world = world().await;
    let operator = world.operator::<widget>(Lab::at("a"));
    world.quiet().await;
    let log = world.cluster.as_ref().unwrap().log();
    world.wire.clear();
    log.clear();
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    assert_eq!(
        log.writes().len(),
        4,
        "the creation, finalizer, status, event, as the server counts: {:#?}",
        log.writes()
    );
    let (events, writes): (Vec<Call>, Vec<Call>) =
        world.wire.calls().into_iter().filter(Call::is_write).partition(Call::is_event);
    assert_eq!(writes.len(), 2, "{writes:#?}");
    assert!(writes[0].body.contains("finalizers") && writes[1].is_status_write(), "{writes:#?}");
    assert_eq!(events.len(), 1, "{events:#?}");
    assert_eq!(world.wire.count(|call| !call.is_write() && about_objects(call)), 0, "no reads");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_commit_and_a_child_cost_one_write_each() {
    let world = world().await;
    let operator = world.operator::<widget>(Lab::at("a"));
    world.quiet().await;
    world.wire.clear();
    world.create::<Widget>(a_widget("w", json!({ "record": true, "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    let writes: Vec<Call> = world.wire.calls().into_iter().filter(|call| call.is_write() && !call.is_event()).collect();
    let kinds: Vec<&str> = writes.iter().map(|call| call.path.rsplit('/').next().unwrap()).collect();
    assert_eq!(kinds, ["w", "status", "w", "status"], "finalizer, progress, child, status: {writes:#?}");
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_unchanged_pass_reads_and_writes_nothing() {
    let world = world().await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "interval": "1s", "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    let passes = lab.passes();
    world.wire.clear();
    eventually(SOON, || async { (lab.passes() >= passes + 5).then_some(()) }).await;
    assert_eq!(world.wire.count(|call| !call.is_watch()), 0, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_status_write_triggers_no_pass() {
    let world = world().await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    for i in 0..20 {
        world.create::<Widget>(a_widget(&format!("w{i}"), json!({ "child": "x" }))).await;
    }
    for i in 0..20 {
        world.until::<Widget>(&format!("w{i}"), "ready", is_ready).await;
    }
    world.quiet().await;
    assert_eq!(lab.passes(), 20);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_restart_over_unchanged_objects_only_lists_and_watches() {
    let world = world().await;
    let first = world.operator::<widget>(Lab::at("a"));
    for i in 0..200 {
        world.create::<Widget>(a_widget(&format!("w{i}"), json!({ "child": "x" }))).await;
    }
    for i in 0..200 {
        world.until::<Widget>(&format!("w{i}"), "ready", is_ready).await;
    }
    world.quiet().await;
    first.stop().await.unwrap();
    world.wire.clear();
    let lab = Lab::at("a");
    let second = world.operator::<widget>(lab.clone());
    world.quiet().await;
    // The start-up check reads the CRD once, not per object.
    let calls = world.wire.calls();
    let beyond: Vec<&Call> = calls.iter().filter(|call| call.is_write() || about_objects(call)).collect();
    assert!(beyond.is_empty(), "{beyond:#?}");
    assert!(calls.len() <= 12, "{calls:#?}");
    assert_eq!(lab.passes(), 0, "no body ran");
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn retries_back_off_and_a_success_resets_the_back_off() {
    let world = world().await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": "broken" }))).await;
    let hours = Duration::from_secs(3 * 3600);
    eventually(hours, || async { (lab.passes() >= 12).then_some(()) }).await;
    let pauses = lab.pauses("fetch w");
    // 1 s doubling to a cap, with downward jitter only: each pause is in (half, whole] of its step.
    for (nth, pause) in pauses.iter().enumerate().take(9) {
        let whole = Duration::from_secs(1 << nth);
        assert!(
            *pause <= whole + Duration::from_millis(50) && *pause >= whole / 2,
            "attempt {nth}: {pause:?} of {whole:?}"
        );
    }
    assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(601)), "capped: {pauses:?}");
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "ok" } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "broken" } })).await;
    let before = lab.passes();
    eventually(hours, || async { (lab.passes() >= before + 3).then_some(()) }).await;
    let fresh = *lab.pauses("fetch w").last().unwrap();
    assert!(fresh <= Duration::from_secs(4), "the curve starts anew: {fresh:?}");
    operator.stop().await.unwrap();
}
