//! The deciding cases, each on the in-process server and on both real ones.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready, status_of, widget};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, WatchEvent, WatchParams};
use serde_json::{Value, json};

on_each_server!(
    a_new_revision_costs_one_pass_and_one_write,
    foreign_conditions_are_left_alone_and_cost_nothing,
    fields_of_an_earlier_manager_are_taken_over,
    a_fresh_object_is_not_current,
    an_object_recreated_during_a_pass_is_reconciled,
    a_field_stored_before_a_failure_persists,
    a_stale_pass_retries_until_the_cache_is_current,
    a_restart_runs_nothing_until_a_child_drifts,
    a_timestamp_in_the_status_starts_no_loop,
);

async fn start(world: &World, name: &str, spec: Value) -> (Arc<Lab>, evenkeel_tests::test_env::Running) {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget(name, spec)).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    (lab, operator)
}

async fn a_new_revision_costs_one_pass_and_one_write(world: World) -> World {
    let (lab, operator) = start(&world, "w", json!({ "interval": "2s" })).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    let version = object["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let params = WatchParams::default().fields("metadata.name=w");
    let api = world.api::<Widget>();
    let changes = api.watch(&params, &version).await.unwrap();
    let (passes, calls) = (lab.passes(), &world.wire);
    calls.clear();
    lab.move_to("b");
    let object = world.until::<Widget>("w", "the new revision", |o| o["status"]["stored"] == "b").await;
    assert!(is_ready(&object) && condition(&object, "Outdated").is_none(), "{object:#}");
    assert_eq!(calls.count(Call::is_status_write), 1);
    assert!(lab.passes() - passes <= 2, "one pass for the revision, at most one resync before it");
    let mut changes = std::pin::pin!(changes);
    loop {
        let Some(WatchEvent::Modified(change)) = changes.try_next().await.unwrap() else { continue };
        let change = serde_json::to_value(change).unwrap();
        assert_eq!(status_of(&change, "Ready"), "True", "{change:#}");
        if change["status"]["stored"] == "b" {
            break;
        }
    }
    operator.stop().await.unwrap();
    world
}

async fn foreign_conditions_are_left_alone_and_cost_nothing(world: World) -> World {
    let (lab, operator) = start(&world, "w", json!({ "interval": "1s" })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    let foreign = json!({ "type": "Foreign", "status": "True", "reason": "Theirs", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z" });
    let applied = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "metadata": { "name": "w" }, "status": { "conditions": [foreign] } });
    let api = world.api::<Widget>();
    api.patch_status("w", &PatchParams::apply("neighbour"), &Patch::Apply(applied)).await.unwrap();
    // A merge patch into the middle of the list.
    let mut conditions = world.raw::<Widget>("w").await["status"]["conditions"].as_array().unwrap().clone();
    let mut other = foreign.clone();
    other["type"] = json!("Alien");
    conditions.insert(1, other);
    api.patch_status("w", &PatchParams::default(), &Patch::Merge(json!({ "status": { "conditions": conditions } })))
        .await
        .unwrap();
    world.quiet().await;
    world.wire.clear();
    let (passes, before) = (lab.passes(), world.raw::<Widget>("w").await);
    eventually(SOON, || async { (lab.passes() >= passes + 10).then_some(()) }).await;
    assert_eq!(world.wire.count(Call::is_write), 0);
    let after = world.raw::<Widget>("w").await;
    assert_eq!(before["metadata"]["resourceVersion"], after["metadata"]["resourceVersion"]);
    for type_ in ["Foreign", "Alien"] {
        assert_eq!(condition(&after, type_).unwrap()["reason"], "Theirs");
    }
    lab.move_to("b");
    let after = world.until::<Widget>("w", "the new revision", |o| o["status"]["stored"] == "b").await;
    assert_eq!((status_of(&after, "Foreign"), status_of(&after, "Alien")), ("True".into(), "True".into()));
    operator.stop().await.unwrap();
    world
}

async fn fields_of_an_earlier_manager_are_taken_over(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let left = json!({ "status": { "observedGeneration": 1, "conditions": [
        { "type": "Reconciling", "status": "True", "reason": "Progressing", "message": "left", "lastTransitionTime": "2020-01-01T00:00:00Z" },
        { "type": "Obsolete", "status": "False", "reason": "Old", "message": "left", "lastTransitionTime": "2020-01-01T00:00:00Z" },
    ] } });
    let params = PatchParams { field_manager: Some("old-tool".into()), ..PatchParams::default() };
    world.api::<Widget>().patch_status("w", &params, &Patch::Merge(left)).await.unwrap();
    let operator = world.operator::<widget>(Lab::at("a"));
    let object =
        world.until::<Widget>("w", "ready and clean", |o| is_ready(o) && condition(o, "Reconciling").is_none()).await;
    assert!(condition(&object, "Obsolete").is_none(), "{object:#}");
    operator.stop().await.unwrap();
    world
}

async fn a_fresh_object_is_not_current(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.raw::<Widget>("w").await;
    assert_eq!(object["status"]["observedGeneration"], -1);
    assert_eq!(evenkeel_testkit::kstatus::compute(&object), evenkeel_testkit::kstatus::Observed::InProgress);
    world
}

async fn an_object_recreated_during_a_pass_is_reconciled(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let held = lab.hold.lock().await;
    let operator = world.operator::<widget>(lab.clone());
    let first = world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(SOON, || async { (lab.passes() == 1).then_some(()) }).await;
    let api = world.api::<Widget>();
    // Deleted and recreated under the same name, while the pass waits in its first step.
    api.patch("w", &PatchParams::default(), &Patch::Merge(json!({ "metadata": { "finalizers": null } })))
        .await
        .unwrap();
    api.delete("w", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { api.get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    let second = world.create::<Widget>(a_widget("w", json!({ "child": "new" }))).await;
    assert_ne!(first.metadata.uid, second.metadata.uid);
    drop(held);
    let object = world.until::<Widget>("w", "the new object is ready", is_ready).await;
    assert_eq!(object["metadata"]["uid"].as_str(), second.metadata.uid.as_deref());
    assert!(object["metadata"]["finalizers"].as_array().is_some_and(|f| f.len() == 1));
    assert!(lab.passes() >= 2, "the new object had a pass of its own");
    operator.stop().await.unwrap();
    world
}

async fn a_field_stored_before_a_failure_persists(world: World) -> World {
    let (_lab, operator) = start(&world, "w", json!({ "store": "broken" })).await;
    let object = world.until::<Widget>("w", "failed", |o| status_of(o, "Stored") == "False").await;
    assert_eq!(object["status"]["fetched"], "a");
    assert_eq!((status_of(&object, "Ready"), status_of(&object, "Reconciling")), ("False".into(), "True".into()));
    assert_eq!(condition(&object, "Ready").unwrap()["message"], "out of order");
    operator.stop().await.unwrap();
    world
}

async fn a_stale_pass_retries_until_the_cache_is_current(world: World) -> World {
    let (lab, operator) = start(&world, "w", json!({ "interval": "1s" })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    world.wire.freeze();
    // The cache does not receive this change.
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    lab.move_to("b");
    world.wire.clear();
    let passes = lab.passes();
    eventually(SOON, || async { (lab.passes() > passes).then_some(()) }).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    // 50 ms doubling, with live reads from the third on: a handful of passes, no hot loop.
    assert!(lab.passes() - passes <= 12, "{} passes in three seconds", lab.passes() - passes);
    world.wire.thaw();
    let object = world.until::<Widget>("w", "reconciled", |o| is_ready(o) && o["status"]["stored"] == "b").await;
    assert_eq!(condition(&object, "Reconciling"), None, "a conflict is no failure");
    assert!(world.events("w").await.iter().all(|event| event.type_.as_deref() != Some("Warning")));
    operator.stop().await.unwrap();
    world
}

async fn a_restart_runs_nothing_until_a_child_drifts(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let first = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("done", json!({ "child": "x" }))).await;
    world.create::<Widget>(a_widget("stalled", json!({ "fetch": "invalid" }))).await;
    world.create::<Widget>(a_widget("waiting", json!({ "secret": "missing" }))).await;
    world.until::<Widget>("done", "ready", is_ready).await;
    world.until::<Widget>("stalled", "stalled", |o| status_of(o, "Stalled") == "True").await;
    world.until::<Widget>("waiting", "waiting", |o| status_of(o, "Reconciling") == "True").await;
    world.quiet().await;
    first.crash().await;

    let lab = Lab::at("a");
    world.wire.clear();
    let second = world.operator::<widget>(lab.clone());
    // Only the waiting object must run again, with the same result.
    eventually(SOON, || async { lab.log().contains(&"fetch waiting".to_owned()).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(lab.log(), ["fetch waiting"]);
    assert_eq!(world.wire.count(Call::is_write), 0);

    let drift = json!({ "data": { "data": "drifted" } });
    world.api::<ConfigMap>().patch("done", &PatchParams::default(), &Patch::Merge(drift)).await.unwrap();
    eventually(SOON, || async {
        let map = world.api::<ConfigMap>().get("done").await.ok()?;
        (map.data?.get("data")? == "x").then_some(())
    })
    .await;
    world.quiet().await;
    assert_eq!(lab.log(), ["fetch waiting", "fetch done", "store done"], "exactly one pass");

    let secret: Secret = serde_json::from_value(json!({ "metadata": { "name": "missing" } })).unwrap();
    world.api::<Secret>().create(&kube::api::PostParams::default(), &secret).await.unwrap();
    world.until::<Widget>("waiting", "woken by the secret", is_ready).await;
    second.stop().await.unwrap();
    world
}

async fn a_timestamp_in_the_status_starts_no_loop(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::stamping();
    let operator = world.operator::<widget>(lab.clone());
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    assert_eq!(lab.passes(), 1, "own writes trigger nothing");
    operator.stop().await.unwrap();
    world
}
