//! The creation and the change of a set: which calls are sent, in which order, and what the status says.

use std::time::Duration;

use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{condition, is_ready, message, reason};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Map, Value, json};

use super::shop::{Part, Shop, calls, open, set_ready, start};

on_each_server!(
    fault_20_objects_that_are_ready_at_once_cost_three_further_calls,
    a_wave_waits_until_the_one_before_is_ready,
    a_change_that_was_rolled_out_has_one_event,
    a_restart_sends_nothing
);

async fn fault_20_objects_that_are_ready_at_once_cost_three_further_calls(world: World) -> World {
    let operator = start(&world).await;
    world.quiet().await;
    world.wire.clear();
    open(&world, "a", &json!({ "maps": { "one": "1", "two": "2" }, "secret": "x" })).await;
    let shop = world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    let mut sent = calls(&world);
    sent[2..5].sort();
    let created = ["PATCH configmaps/one", "PATCH configmaps/two", "PATCH secrets/login"];
    assert_eq!(sent[..2], ["PATCH shops/a", "PATCH shops/a/status"], "the finalizer, and the kinds of the set");
    assert_eq!((&sent[2..5], &sent[5..]), (&created.map(String::from)[..], &["PATCH shops/a/status".to_owned()][..]));
    let set = &shop["status"]["dependents"]["shop/install"];
    assert_eq!((&set["kinds"], &set["revision"]), (&json!(["ConfigMap", "Secret"]), &json!(1)));
    assert_eq!((&set["wanted"], &set["readyObjects"], &set["ready"]), (&json!(3), &json!(3), &json!(true)));
    // One object changes.
    world.wire.clear();
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "two": "3" } } })).await;
    let is_second = |shop: &Value| shop["status"]["dependents"]["shop/install"]["revision"] == 2 && is_ready(shop);
    world.until::<Shop>("a", "the second revision", is_second).await;
    world.quiet().await;
    assert_eq!(calls(&world), ["PATCH configmaps/two", "PATCH shops/a/status"]);
    operator.stop().await.unwrap();
    world
}

async fn a_change_that_was_rolled_out_has_one_event(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1", "two": "2", "three": "3" } })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    let change = json!({ "maps": { "one": null, "two": "22", "four": "4" }, "parts": { "late": 1 } });
    world.merge::<Shop>("a", json!({ "spec": change })).await;
    eventually(SOON, || async { world.api::<Part>().get_opt("late").await.unwrap().map(drop) }).await;
    assert!(
        world.notes("a", "Applied").is_empty(),
        "the first roll-out has the event of Ready, and this one has not ended"
    );
    set_ready(&world, "late", "True").await;
    let noted = || async { Some(world.notes("a", "Applied")).filter(|notes| !notes.is_empty()) };
    let notes = eventually(SOON, noted).await;
    assert_eq!(notes, ["4 objects are as wanted: 2 created, 1 updated, 1 deleted"]);
    // A correction is no change.
    world.merge::<ConfigMap>("three", json!({ "data": { "value": "other" } })).await;
    world.until::<ConfigMap>("three", "corrected", |map| map["data"]["value"] == "3").await;
    world.quiet().await;
    assert_eq!(world.notes("a", "Applied").len(), 1);
    operator.stop().await.unwrap();
    world
}

async fn a_wave_waits_until_the_one_before_is_ready(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" }, "parts": { "first": 0, "second": 1 } })).await;
    let waits = |shop: &Value| condition(shop, "Healthy").is_some_and(|healthy| healthy["status"] == "False");
    let shop = world.until::<Shop>("a", "the first wave", waits).await;
    let part = format!("Part.tests.evenkeel.dev {}/first", world.namespace);
    assert_eq!(reason(&shop, "Healthy"), "DependentsProgressing");
    assert_eq!(message(&shop, "Healthy"), format!("wave 0: 1 of 2 ready; {part}: it has no condition Ready yet"));
    assert_eq!(condition(&shop, "Applied").unwrap()["status"], "True");
    let waiting = &shop["status"]["dependents"]["shop/install"]["notReady"];
    assert_eq!(waiting, &json!([{ "object": part, "wave": 0, "message": "it has no condition Ready yet" }]));
    world.quiet().await;
    assert!(world.api::<Part>().get_opt("second").await.unwrap().is_none(), "it is of the next wave");
    set_ready(&world, "first", "True").await;
    let second = |shop: &Value| message(shop, "Healthy").starts_with("wave 1: 0 of 1 ready");
    world.until::<Shop>("a", "the second wave", second).await;
    set_ready(&world, "second", "True").await;
    world.until::<Shop>("a", "ready", is_ready).await;
    // What was ready and is not any more shows in the second condition only.
    set_ready(&world, "first", "False").await;
    let failed = |shop: &Value| condition(shop, "Healthy").is_some_and(|healthy| healthy["status"] == "False");
    let shop = world.until::<Shop>("a", "not ready", failed).await;
    assert_eq!(condition(&shop, "Applied").unwrap()["status"], "True");
    operator.stop().await.unwrap();
    world
}

async fn a_restart_sends_nothing(world: World) -> World {
    let operator = start(&world).await;
    open(&world, "a", &json!({ "maps": { "one": "1" }, "secret": "x" })).await;
    world.until::<Shop>("a", "ready", is_ready).await;
    world.quiet().await;
    operator.stop().await.unwrap();
    world.wire.clear();
    let operator = world.operator::<super::shop::shop>(());
    world.quiet().await;
    let written: Vec<String> = calls(&world).into_iter().filter(|call| !call.starts_with("GET")).collect();
    assert!(written.is_empty(), "{written:?}");
    // After the restart a change of one object is one call, as before.
    world.merge::<Shop>("a", json!({ "spec": { "maps": { "one": "2" } } })).await;
    let is_second = |shop: &Value| shop["status"]["dependents"]["shop/install"]["revision"] == 2 && is_ready(shop);
    world.until::<Shop>("a", "the second revision", is_second).await;
    world.quiet().await;
    let written: Vec<String> = calls(&world).into_iter().filter(|call| !call.starts_with("GET")).collect();
    assert_eq!(written, ["PATCH configmaps/one", "PATCH shops/a/status"]);
    operator.stop().await.unwrap();
    world
}

/// Objects that become ready one after another within ten minutes: a short burst, and then a write every 15 seconds.
#[tokio::test(start_paused = true)]
async fn the_progress_of_a_large_wave_costs_few_writes() {
    const PARTS: usize = 300;
    const MOST_WRITES: usize = 45;
    let world = World::within(Cluster::start().await);
    let operator = start(&world).await;
    let name = |i: usize| format!("part-{i:03}");
    let parts: Map<String, Value> = (0..PARTS).map(|i| (name(i), json!(0))).collect();
    open(&world, "a", &json!({ "parts": parts })).await;
    for part in 0..PARTS {
        world.until::<Shop>("a", "waiting", |shop| reason(shop, "Healthy") == "DependentsProgressing").await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        set_ready(&world, &name(part), "True").await;
    }
    world.until::<Shop>("a", "ready", is_ready).await;
    let writes = calls(&world).iter().filter(|call| *call == "PATCH shops/a/status").count();
    assert!((20..=MOST_WRITES).contains(&writes), "{writes}");
    operator.stop().await.unwrap();
}
