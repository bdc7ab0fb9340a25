//! Branches, joins and loops of a pipeline: which steps run, and the resulting conditions.

use std::sync::Arc;
use std::time::Duration;

use evenkeel_testkit::{Sweep, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::pipeline_fixture::{Kitchen, Recipe, a_recipe, definition, recipe};
use evenkeel_tests::sweep::swept;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready, status_of};
use kube::api::DeleteParams;
use serde_json::{Value, json};

on_each_server!(
    a_skipped_step_is_ready_with_the_reason_of_the_branch,
    skipping_a_step_resets_its_conditions,
    a_failure_in_a_branch_blocks_later_steps,
    a_skipped_external_step_is_undone,
    progress_of_joined_steps_is_independent,
);

macro_rules! in_process {
    ($($case:ident),* $(,)?) => {
        mod once { $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() { evenkeel_tests::test_env::show(evenkeel_tests::test_env::Server::InProcess, super::$case).await }
        )* }
    };
}

in_process!(
    joined_steps_run_at_the_same_time,
    the_most_severe_error_of_a_join_decides,
    the_shortest_poll_of_joined_steps_decides,
    a_panic_affects_only_its_joined_step,
    a_timeout_affects_only_its_joined_step,
    a_loop_runs_all_items_and_reports_failures,
    empty_and_idle_loops_succeed,
);

async fn start(world: &World, spec: Value) -> (Arc<Kitchen>, Running) {
    world.install(&definition()).await;
    world.create::<Recipe>(a_recipe("r", &spec)).await;
    let kitchen = Arc::<Kitchen>::default();
    let operator = world.operator::<recipe>(kitchen.clone());
    (kitchen, operator)
}

fn shown(object: &Value, type_: &str) -> [String; 3] {
    let condition = condition(object, type_).unwrap_or(&Value::Null);
    ["status", "reason", "message"].map(|part| condition[part].as_str().unwrap_or_default().to_owned())
}

async fn a_skipped_step_is_ready_with_the_reason_of_the_branch(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({})).await;
    let object = world.until::<Recipe>("r", "ready", is_ready).await;
    assert_eq!(shown(&object, "Tasted"), ["True", "NotAsked", "step taste was not needed"]);
    assert_eq!(shown(&object, "Served")[2], "r: soup and 1 steak, untasted");
    assert!(condition(&object, "Bland").is_none());
    assert_eq!(kitchen.log(), ["shop", "boil", "fry", "serve"]);
    operator.stop().await.unwrap();
    world
}

async fn skipping_a_step_resets_its_conditions(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({ "taste": true, "acts": { "salt": "none" } })).await;
    let object = world.until::<Recipe>("r", "bland", |o| status_of(o, "Bland") == "True").await;
    assert_eq!(status_of(&object, "Ready"), "False");
    world.merge::<Recipe>("r", json!({ "spec": { "taste": false } })).await;
    let object = world.until::<Recipe>("r", "ready", is_ready).await;
    assert!(condition(&object, "Bland").is_none());
    assert_eq!(shown(&object, "Tasted")[1], "NotAsked");
    assert_eq!(object["status"]["taste"], "fine", "the author's fields are the author's");
    assert_eq!(kitchen.log()[..3], ["shop", "taste", "boil"]);
    operator.stop().await.unwrap();
    world
}

async fn a_failure_in_a_branch_blocks_later_steps(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({ "taste": true, "acts": { "taste": "invalid" } })).await;
    let object = world.until::<Recipe>("r", "stalled", |o| status_of(o, "Stalled") == "True").await;
    assert_eq!(shown(&object, "Tasted"), ["False", "Impossible", "taste cannot be done"]);
    assert_eq!(shown(&object, "Served"), ["Unknown", "Blocked", "blocked by step taste"]);
    assert_eq!(kitchen.log(), ["shop", "taste"]);
    world.create::<Recipe>(a_recipe("s", &json!({ "acts": { "serve": "invalid" } }))).await;
    let object = world.until::<Recipe>("s", "stalled", |o| status_of(o, "Stalled") == "True").await;
    assert_eq!((shown(&object, "Tasted")[1].as_str(), shown(&object, "Served")[0].as_str()), ("NotAsked", "False"));
    operator.stop().await.unwrap();
    world
}

async fn a_skipped_external_step_is_undone(world: World) -> World {
    let (kitchen, operator) = start(&world, json!({})).await;
    world.until::<Recipe>("r", "ready", is_ready).await;
    world.api::<Recipe>().delete("r", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Recipe>().get_opt("r").await.unwrap().is_none().then_some(()) }).await;
    assert_eq!(kitchen.log(), ["shop", "boil", "fry", "serve", "wash"]);
    operator.stop().await.unwrap();
    world
}

async fn progress_of_joined_steps_is_independent(world: World) -> World {
    world.install(&definition()).await;
    let kitchen = Arc::<Kitchen>::default();
    let held = kitchen.hold.lock().await;
    world.create::<Recipe>(a_recipe("r", &json!({ "record": true, "acts": { "boil": "wait", "fry": "wait" } }))).await;
    let operator = world.operator::<recipe>(kitchen.clone());
    let started = |o: &Value| o["status"]["soup"] == "started" && o["status"]["steak"] == "started";
    world.until::<Recipe>("r", "both have stored their progress", started).await;
    drop(held);
    let object = world.until::<Recipe>("r", "ready", is_ready).await;
    let status = &object["status"];
    assert_eq!((&status["soup"], &status["steak"], &status["last"]), (&json!("done"), &json!("done"), &json!("steak")));
    assert_eq!(kitchen.log()[..3], ["shop", "boil", "fry"], "one pass, in which both waited");
    operator.stop().await.unwrap();
    world
}

async fn joined_steps_run_at_the_same_time(world: World) -> World {
    let (_, operator) = start(&world, json!({ "acts": { "boil": "meet ", "fry": "meet " } })).await;
    let object = world.until::<Recipe>("r", "ready, so they met", is_ready).await;
    assert_eq!(shown(&object, "Boiled"), ["True", "Succeeded", "The soup is done."]);
    operator.stop().await.unwrap();
    world
}

async fn the_most_severe_error_of_a_join_decides(world: World) -> World {
    let acts = json!({ "boil": "meet invalid", "fry": "meet broken" });
    let (_, operator) = start(&world, json!({ "acts": acts })).await;
    let object = world.until::<Recipe>("r", "failed", |o| status_of(o, "Reconciling") == "True").await;
    assert_eq!(shown(&object, "Boiled"), ["False", "Impossible", "boil cannot be done"]);
    assert_eq!(shown(&object, "Fried"), ["False", "Burnt", "fry went wrong"]);
    assert_eq!(shown(&object, "Ready"), ["False", "Burnt", "fry went wrong"]);
    assert_eq!(shown(&object, "Greeted"), ["Unknown", "Blocked", "blocked by step fry"]);
    assert!(condition(&object, "Stalled").is_none());
    operator.stop().await.unwrap();
    world
}

async fn the_shortest_poll_of_joined_steps_decides(world: World) -> World {
    let acts = json!({ "boil": "slow", "fry": "poll" });
    let (kitchen, operator) = start(&world, json!({ "acts": acts })).await;
    let object = world.until::<Recipe>("r", "waiting", |o| status_of(o, "Reconciling") == "True").await;
    assert_eq!(shown(&object, "Ready")[2], "fry takes its time");
    let boiled = || kitchen.log().iter().filter(|line| *line == "boil").count();
    eventually(SOON, || async { (boiled() == 2).then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

async fn a_panic_affects_only_its_joined_step(world: World) -> World {
    let (_, operator) = start(&world, json!({ "acts": { "boil": "meet panic", "fry": "meet " } })).await;
    let object = world.until::<Recipe>("r", "failed", |o| status_of(o, "Reconciling") == "True").await;
    assert_eq!(shown(&object, "Boiled"), ["False", "Panicked", "step boil panicked: boil fell over"]);
    assert_eq!(shown(&object, "Fried"), ["True", "Succeeded", "The steak is done."]);
    assert_eq!((&object["status"]["steak"], &object["status"]["soup"]), (&json!("done"), &Value::Null));
    operator.stop().await.unwrap();
    world
}

async fn a_timeout_affects_only_its_joined_step(world: World) -> World {
    let (_, operator) = start(&world, json!({ "acts": { "fry": "hang" } })).await;
    let object = world.until::<Recipe>("r", "timed out", |o| status_of(o, "Reconciling") == "True").await;
    assert_eq!(shown(&object, "Boiled"), ["True", "Succeeded", "The soup is done."]);
    assert_eq!(shown(&object, "Fried"), ["False", "TimedOut", "step fry did not end within 3s"]);
    assert_eq!((shown(&object, "Shopped")[0].as_str(), &object["status"]["soup"]), ("True", &json!("done")));
    operator.stop().await.unwrap();
    world
}

async fn a_loop_runs_all_items_and_reports_failures(world: World) -> World {
    let acts = json!({ "ann": "invalid", "bob": "poll", "dan": "broken", "eve": "broken", "fay": "nothing" });
    let guests = ["ann", "bob", "cid", "dan", "eve", "fay"];
    let (kitchen, operator) = start(&world, json!({ "acts": acts, "guests": guests })).await;
    let object = world.until::<Recipe>("r", "failed", |o| status_of(o, "Reconciling") == "True").await;
    let message = "4 of 6 failed: ann cannot be done; bob takes its time; dan went wrong; and 1 more";
    assert_eq!(shown(&object, "Greeted"), ["False", "Burnt", message]);
    assert_eq!(shown(&object, "Served")[1], "Blocked");
    assert_eq!(kitchen.log()[3..9], guests);
    operator.stop().await.unwrap();
    world
}

async fn empty_and_idle_loops_succeed(world: World) -> World {
    let (_, operator) = start(&world, json!({})).await;
    world.create::<Recipe>(a_recipe("s", &json!({ "acts": { "ann": "nothing" }, "guests": ["ann"] }))).await;
    for name in ["r", "s"] {
        let object = world.until::<Recipe>(name, "ready", is_ready).await;
        assert_eq!(shown(&object, "Greeted"), ["True", "Succeeded", "The guests are welcome."]);
    }
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn reverted_records_do_not_reset_the_back_off() {
    let world = World::on(Server::InProcess).await.unwrap();
    let (kitchen, operator) = start(&world, json!({ "record": true, "acts": { "fry": "broken" } })).await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    let object = world.raw::<Recipe>("r").await;
    assert_eq!(shown(&object, "Ready"), ["False", "Burnt", "fry went wrong"]);
    let tries = kitchen.log().iter().filter(|line| *line == "fry").count();
    assert!((3..30).contains(&tries), "{tries} tries in five minutes");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn branches_joins_and_loops_converge_after_any_fault() {
    // The last result of either joined step.
    let sweep = Sweep::new().ignore("status.last");
    swept(sweep, &definition(), async |stage| {
        let kitchen = Arc::<Kitchen>::default();
        stage.operate::<recipe>(kitchen.clone());
        let spec = json!({ "taste": true, "record": true, "guests": ["ann", "bob"] });
        stage.create::<Recipe>(a_recipe("r", &spec)).await;
        stage.create::<Recipe>(a_recipe("goes", &json!({ "taste": true, "guests": ["eve"] }))).await;
        stage.rest().await;
        assert_eq!(stage.raw::<Recipe>("r").await["status"]["taste"], "fine");
        stage.merge::<Recipe>("r", json!({ "spec": { "taste": false, "guests": ["ann"] } })).await;
        stage.delete::<Recipe>("goes").await;
        assert!(is_ready(&stage.raw::<Recipe>("r").await));
        kitchen.log().contains(&"wash".to_owned())
    })
    .await;
}
