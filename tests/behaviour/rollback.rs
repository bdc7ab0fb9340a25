//! A store that was reset: its versions restart at a lower number, and cached state is of another history. All objects are reconciled
//! again.

use std::time::Duration;

use evenkeel_testkit::{Backup, Effect, Fault, Verb, eventually};
use evenkeel_tests::apiserver::{ApiServer, To};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use serde_json::{Value, json};

const OBJECTS: usize = 40;

on_each_server!(a_store_that_was_restored_or_wiped_is_listed_anew);

fn name(at: usize) -> String {
    format!("w-{at}")
}

async fn create(world: &World, objects: std::ops::Range<usize>, child: &str) {
    for at in objects {
        world.create::<Widget>(a_widget(&name(at), json!({ "child": child }))).await;
    }
}

/// Waits until each object is ready in this generation, with its child.
async fn until_right(world: &World, objects: std::ops::Range<usize>, generation: u64, child: &str) {
    for at in objects {
        let is_right = |object: &Value| is_ready(object) && object["status"]["observedGeneration"] == generation;
        world.until::<Widget>(&name(at), "ready in its generation", is_right).await;
        let has_child = || async {
            let map = world.api::<ConfigMap>().get_opt(&name(at)).await.unwrap();
            map.and_then(|map| map.data).filter(|data| data["data"] == child)
        };
        eventually(SOON, has_child).await;
    }
}

/// On a separate server of the same kind that may be stopped.
async fn a_store_that_was_restored_or_wiped_is_listed_anew(shared: World) -> World {
    let mut server = ApiServer::start(shared.server).await.unwrap();
    let world = server.world(shared.server).await;
    world.install(&definition()).await;
    create(&world, 0..OBJECTS, "x").await;
    server.save().await;
    let operator = world.operator::<widget>(Lab::at("a"));
    until_right(&world, 0..OBJECTS, 1, "x").await;
    for at in 0..OBJECTS / 4 {
        world.merge::<Widget>(&name(at), json!({ "spec": { "child": "y" } })).await;
        world.api::<Widget>().delete(&name(OBJECTS / 4 + at), &DeleteParams::default()).await.unwrap();
    }
    until_right(&world, 0..OBJECTS / 4, 2, "y").await;
    create(&world, OBJECTS..OBJECTS + 5, "x").await;
    until_right(&world, OBJECTS..OBJECTS + 5, 1, "x").await;

    // The saved state has no status and no child, and the deleted objects exist again.
    server.set_back(To::Saved, Duration::from_secs(1)).await;
    until_right(&world, 0..OBJECTS, 1, "x").await;
    create(&world, OBJECTS..OBJECTS + 5, "z").await;
    until_right(&world, OBJECTS..OBJECTS + 5, 1, "z").await;

    server.set_back(To::Nothing, Duration::from_secs(1)).await;
    world.create_namespace().await;
    world.install(&definition()).await;
    create(&world, 0..OBJECTS, "w").await;
    until_right(&world, 0..OBJECTS, 1, "w").await;
    operator.stop().await.unwrap();
    drop(world);
    shared
}

async fn an_in_process_world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

/// As on a real cluster: no answer for a while, then no kind, then the kind without objects, then the objects.
#[tokio::test(start_paused = true)]
async fn objects_are_reconciled_after_the_store_was_wiped() {
    const MANY: usize = 300;
    let world = an_in_process_world().await;
    create(&world, 0..MANY, "x").await;
    let operator = world.operator::<widget>(Lab::at("a"));
    until_right(&world, 0..MANY, 1, "x").await;

    world.wire.fault(|_| Some(recording_client::Fault::Answer(503, None)));
    world.cluster().wipe();
    tokio::time::sleep(Duration::from_secs(41)).await;
    world.wire.mend();
    tokio::time::sleep(Duration::from_secs(20)).await;
    world.create_namespace().await;
    world.install(&definition()).await;
    create(&world, 0..MANY, "y").await;
    until_right(&world, 0..MANY, 1, "y").await;
    operator.stop().await.unwrap();
}

/// As on a cluster, the server does not answer meanwhile. A client whose requests were always answered, with versions above the old ones,
/// cannot detect the reset.
async fn set_back(world: &World, backup: &Backup) {
    world.wire.mend();
    world.wire.thaw();
    world.cluster().faults().add(Fault::new(Effect::Unavailable).always());
    world.cluster().restore(backup);
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.cluster().faults().clear();
}

/// Our later writes are lost: the object and its child are as old as the watch delivered them before.
#[tokio::test(start_paused = true)]
async fn a_write_lost_by_a_restored_store_is_repeated() {
    let world = an_in_process_world().await;
    create(&world, 0..10, "x").await;
    let backup = world.cluster().backup();
    let operator = world.operator::<widget>(Lab::at("a"));
    until_right(&world, 0..10, 1, "x").await;
    set_back(&world, &backup).await;
    until_right(&world, 0..10, 1, "x").await;

    // The same if the operator has not received its own write yet: its watch is frozen from the first write on.
    let backup = world.cluster().backup();
    let wire = world.wire.clone();
    world.wire.fault(move |call| {
        if call.is_status_write() {
            wire.freeze_only("/widgets");
        }
        None
    });
    let writes = || world.wire.count(recording_client::Call::is_status_write);
    let written = writes();
    for at in 0..10 {
        world.merge::<Widget>(&name(at), json!({ "spec": { "child": "y" } })).await;
    }
    eventually(SOON, || async { (writes() > written).then_some(()) }).await;
    world.quiet().await;
    set_back(&world, &backup).await;
    until_right(&world, 0..10, 1, "x").await;
    for at in 0..10 {
        world.merge::<Widget>(&name(at), json!({ "spec": { "child": "z" } })).await;
    }
    until_right(&world, 0..10, 2, "z").await;
    operator.stop().await.unwrap();
}

/// If the connection ends normally and the next watch starts, only its silence shows that its version is in the future.
#[tokio::test(start_paused = true)]
async fn a_silent_watch_from_a_future_version_is_detected() {
    let world = an_in_process_world().await;
    create(&world, 0..5, "x").await;
    let backup = world.cluster().backup();
    let operator = world.operator::<widget>(Lab::at("a"));
    until_right(&world, 0..5, 1, "x").await;
    // Bookmarks arrive.
    world.create::<Secret>(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } })).await;
    tokio::time::sleep(Duration::from_secs(400)).await;
    // Every connection ends normally shortly before.
    world.cluster().faults().add(Fault::new(Effect::DropWatch(Duration::ZERO)).verb(Verb::Watch).times(2));
    world.cluster().drop_watches();
    world.cluster().restore(&backup);
    for at in 0..5 {
        world.merge::<Widget>(&name(at), json!({ "spec": { "child": "y" } })).await;
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    until_right(&world, 0..5, 2, "y").await;
    operator.stop().await.unwrap();
}

/// A failed list removes no object, whatever the error.
#[tokio::test(start_paused = true)]
async fn a_list_that_fails_removes_nothing() {
    let world = an_in_process_world().await;
    create(&world, 0..5, "x").await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    until_right(&world, 0..5, 1, "x").await;
    let passes = lab.passes();
    for code in [404, 401, 403, 410, 500, 503, 504] {
        world.wire.fault(move |call| (call.method == "GET").then_some(recording_client::Fault::Answer(code, None)));
        world.cluster().restore(&world.cluster().backup());
        tokio::time::sleep(Duration::from_secs(60)).await;
        world.wire.mend();
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    assert_eq!(lab.passes(), passes, "the objects were known all along");
    operator.stop().await.unwrap();
}
