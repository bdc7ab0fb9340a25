//! Faults 1 to 5 and 24: what a set costs while nothing changes.

use std::time::Duration;

use evenkeel_testkit::Cluster;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, reason};
use k8s_openapi::api::core::v1::Secret;
use serde_json::json;

use crate::dependents::managed::{self, Plant, create, three_hours_later};
use crate::dependents::shop::{Shop, open, start};

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// A shop that is ready and one that waits for a part, a week later. The wire has the calls of that week.
async fn after_a_week() -> (World, Running) {
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    open(&world, "ready", &json!({ "maps": { "one": "1", "two": "2" }, "secret": "x" })).await;
    open(&world, "waits", &json!({ "parts": { "slow": 0 } })).await;
    world.until::<Shop>("ready", "ready", is_ready).await;
    // It is late after an hour, which the status says.
    let is_late = |shop: &serde_json::Value| {
        condition(shop, "Healthy").is_some() && reason(shop, "Healthy") == "DependentsTimedOut"
    };
    tokio::time::sleep(Duration::from_secs(3700)).await;
    world.until::<Shop>("waits", "late", is_late).await;
    world.quiet().await;
    world.wire.clear();
    tokio::time::sleep(WEEK).await;
    (world, operator)
}

/// Whether the call checks the version of a watch that had no events, once in its life. It returns no object that counts.
fn is_version_check(call: &Call) -> bool {
    call.query.contains("limit=1")
}

fn sent(world: &World, like: impl Fn(&Call) -> bool) -> Vec<String> {
    let calls = world.wire.calls().into_iter().filter(|call| like(call));
    calls.map(|call| format!("{} {}", call.method, call.path)).collect()
}

#[tokio::test(start_paused = true)]
async fn fault_01_nothing_is_read_while_a_set_is_ready_or_waits() {
    let (world, operator) = after_a_week().await;
    let reads = sent(&world, |call| call.method == "GET" && !call.is_watch() && !is_version_check(call));
    assert!(reads.is_empty(), "{reads:?}");
    assert!(world.wire.count(Call::is_watch) > 0, "the watches are renewed");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_02_nothing_is_applied_again_while_nothing_changes() {
    let (world, operator) = after_a_week().await;
    let writes = sent(&world, Call::is_write);
    assert!(writes.is_empty(), "{writes:?}");
    operator.stop().await.unwrap();
}

/// A plant whose pipe was applied again at least twice.
async fn applied_again() -> (World, Running) {
    let (world, operator) = three_hours_later().await;
    let count = sent(&world, |call| call.is_write() && call.path.ends_with("/pipes/main")).len();
    assert!(count >= 2, "{count}");
    (world, operator)
}

#[tokio::test(start_paused = true)]
async fn fault_03_a_repeated_apply_changes_no_condition() {
    let (world, operator) = applied_again().await;
    let of_plant = sent(&world, |call| call.is_write() && call.path.contains("/plants/"));
    assert!(of_plant.is_empty(), "{of_plant:?}");
    assert!(is_ready(&world.raw::<Plant>("a").await));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_04_a_repeated_apply_recreates_nothing() {
    let (world, operator) = applied_again().await;
    let deleted = sent(&world, |call| call.method == "DELETE");
    assert!(deleted.is_empty(), "{deleted:?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_05_a_suspended_component_writes_nothing() {
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.merge::<Shop>("a", json!({ "metadata": { "annotations": { "evenkeel.dev/suspend": "true" } } })).await;
    world.quiet().await;
    world.wire.clear();
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "one": "2" } } })).await;
    tokio::time::sleep(WEEK).await;
    let writes = sent(&world, Call::is_write);
    assert!(writes.is_empty(), "{writes:?}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fault_24_a_missing_secret_is_waited_for_without_a_call() {
    let world = World::within(Cluster::start().await);
    let operator = managed::start(&world).await;
    create(&world, json!({ "fuel": "gas" })).await;
    let waits = |plant: &serde_json::Value| condition(plant, "Applied").is_some_and(|one| one["status"] == "False");
    world.until::<Plant>("a", "the secret", waits).await;
    world.quiet().await;
    world.wire.clear();
    tokio::time::sleep(WEEK).await;
    let calls = sent(&world, |call| !call.is_watch() && !is_version_check(call));
    assert!(calls.is_empty(), "{calls:?}");
    world.create::<Secret>(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "gas" } })).await;
    world.until::<Plant>("a", "ready", is_ready).await;
    operator.stop().await.unwrap();
}
