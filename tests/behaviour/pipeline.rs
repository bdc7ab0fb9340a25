//! Branches, joins and loops of a pipeline: what runs, and what becomes of the conditions.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recipe::{Kitchen, Recipe, a_recipe, definition, recipe};
use evenkeel_tests::widget::{condition, is_ready, status_of};
use evenkeel_tests::world::{Running, SOON, World};
use kube::api::DeleteParams;
use serde_json::{Value, json};

on_each_server!(
    a_skipped_step_is_ready_with_the_reason_of_the_branch,
    what_a_step_said_is_taken_back_when_it_is_skipped,
    steps_after_a_failure_in_a_branch_are_blocked_and_skipped_ones_are_not,
    a_skipped_external_step_is_undone,
);

async fn start(world: &World, spec: Value) -> (Arc<Kitchen>, Running) {
    world.install(&definition()).await;
    world.create::<Recipe>(a_recipe("r", &spec)).await;
    let kitchen = Arc::<Kitchen>::default();
    let operator = world.operator::<recipe>(kitchen.clone());
    (kitchen, operator)
}

fn told(object: &Value, type_: &str) -> [String; 3] {
    let condition = condition(object, type_).unwrap_or(&Value::Null);
    ["status", "reason", "message"].map(|part| condition[part].as_str().unwrap_or_default().to_owned())
}

async fn a_skipped_step_is_ready_with_the_reason_of_the_branch(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({})).await;
    let object = world.until::<Recipe>("r", "ready", is_ready).await;
    assert_eq!(told(&object, "Tasted"), ["True", "NotAsked", "step taste was not needed"]);
    assert_eq!(told(&object, "Served")[2], "r, untasted");
    assert!(condition(&object, "Bland").is_none());
    assert_eq!(kitchen.log(), ["shop", "serve"]);
    operator.stop().await.unwrap();
    world
}

async fn what_a_step_said_is_taken_back_when_it_is_skipped(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({ "taste": true, "acts": { "salt": "none" } })).await;
    let object = world.until::<Recipe>("r", "bland", |o| status_of(o, "Bland") == "True").await;
    assert_eq!(status_of(&object, "Ready"), "False");
    world.merge::<Recipe>("r", json!({ "spec": { "taste": false } })).await;
    let object = world.until::<Recipe>("r", "ready", is_ready).await;
    assert!(condition(&object, "Bland").is_none());
    assert_eq!(told(&object, "Tasted")[1], "NotAsked");
    assert_eq!(object["status"]["taste"], "fine", "the author's fields are the author's");
    assert_eq!(kitchen.log()[..3], ["shop", "taste", "serve"]);
    operator.stop().await.unwrap();
    world
}

async fn steps_after_a_failure_in_a_branch_are_blocked_and_skipped_ones_are_not(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({ "taste": true, "acts": { "taste": "invalid" } })).await;
    let object = world.until::<Recipe>("r", "stalled", |o| status_of(o, "Stalled") == "True").await;
    assert_eq!(told(&object, "Tasted"), ["False", "Impossible", "taste cannot be done"]);
    assert_eq!(told(&object, "Served"), ["Unknown", "Blocked", "step taste is in the way"]);
    assert_eq!(kitchen.log(), ["shop", "taste"]);
    world.create::<Recipe>(a_recipe("s", &json!({ "acts": { "serve": "invalid" } }))).await;
    let object = world.until::<Recipe>("s", "stalled", |o| status_of(o, "Stalled") == "True").await;
    assert_eq!((told(&object, "Tasted")[1].as_str(), told(&object, "Served")[0].as_str()), ("NotAsked", "False"));
    operator.stop().await.unwrap();
    world
}

async fn a_skipped_external_step_is_undone(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({})).await;
    world.until::<Recipe>("r", "ready", is_ready).await;
    world.api::<Recipe>().delete("r", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Recipe>().get_opt("r").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(kitchen.log(), ["shop", "serve", "wash"]);
    operator.stop().await.unwrap();
    world
}
