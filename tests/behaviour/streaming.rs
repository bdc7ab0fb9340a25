//! First lists as streams: in pages if the server does not support streams, otherwise in one request.

use std::time::Duration;

use evenkeel_testkit::{Effect, Fault, Seed, Verb, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{self, Call};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use serde_json::json;

on_each_server!(no_object_is_lost_in_streams_or_pages);

/// How many lists came in pages and how many as streams, without those of the CRD.
fn lists(world: &World) -> (usize, usize) {
    let is_own = |call: &Call| !call.path.contains("customresourcedefinitions");
    let pages = world.wire.count(|call| is_own(call) && call.is_list() && !call.is_stream());
    (pages, world.wire.count(|call| is_own(call) && call.is_stream()))
}

async fn no_object_is_lost_in_streams_or_pages(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Secret>(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } })).await;
    for i in 0..3 {
        world.create::<Widget>(a_widget(&format!("w-{i}"), json!({ "secret": "s", "child": "x" }))).await;
    }
    let operator = world.operator::<widget>(Lab::at("a"));
    for i in 0..3 {
        world.until::<Widget>(&format!("w-{i}"), "ready", is_ready).await;
    }
    // Later events arrive, too.
    world.api::<Widget>().delete("w-0", &DeleteParams::default()).await.unwrap();
    world.create::<Widget>(a_widget("w-3", json!({ "secret": "s" }))).await;
    world.until::<Widget>("w-3", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let (lists, streams) = lists(&world);
    match world.server {
        Server::Full => assert!(lists >= 3 && (1..=3).contains(&streams), "{lists} lists, {streams} refused streams"),
        _ => assert_eq!((lists, streams), (0, 3), "widgets, config maps, and the secret"),
    }
    world
}

#[tokio::test(start_paused = true)]
async fn an_expired_watch_lists_again_as_a_stream() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let operator = world.operator::<widget>(Lab::at("a"));
    world.until::<Widget>("w", "ready", is_ready).await;
    world.wire.clear();
    world.cluster().compact();
    world.cluster().faults().add(Fault::new(Effect::Expired).resource("widgets").verb(Verb::Watch));
    world.cluster().drop_watches();
    let generation = |object: &serde_json::Value| is_ready(object) && object["metadata"]["generation"] == 2;
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    world.until::<Widget>("w", "ready in its generation", generation).await;
    world.api::<ConfigMap>().get("w").await.unwrap();
    let (pages, streams) = lists(&world);
    assert!(pages == 0 && streams > 0, "{pages} {streams}");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_page_of_a_paged_list_loses_nothing() {
    const MANY: usize = 501;
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let mut one = a_widget("w", json!({}));
    one["metadata"]["namespace"] = json!(world.namespace);
    world.cluster().seed(Seed::from(one).times(MANY)).await.unwrap();
    let mut failures = 2;
    world.wire.fault(move |call| {
        let fails = call.query.contains("continue=") && failures > 0;
        failures -= usize::from(fails);
        fails.then_some(recording_client::Fault::Answer(500, None))
    });
    let lab = Lab::at("a");
    let operator = Running::start(world.prepare::<widget>(lab.clone()).paged_lists());
    world.until::<Widget>("w-500", "ready", is_ready).await;
    world.until::<Widget>("w-0", "ready", is_ready).await;
    eventually(SOON, || async { (lab.passes() == MANY).then_some(()) }).await;
    let pages = world.wire.count(|call| call.is_list() && call.path.ends_with("/widgets"));
    assert_eq!((pages, lists(&world).1), (6, 0), "two pages, three times");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_the_final_bookmark_the_list_is_paged() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let start = tokio::time::Instant::now();
    let unaware = || recording_client::Fault::Unaware(&["sendInitialEvents", "resourceVersionMatch"]);
    world.wire.fault(move |call| call.is_stream().then(unaware));
    let operator = world.operator::<widget>(Lab::at("a"));
    world.until::<Widget>("w", "ready", is_ready).await;
    assert!(start.elapsed() < Duration::from_secs(40), "{:?}", start.elapsed());
    assert_eq!(lists(&world), (2, 2), "widgets and config maps");
    operator.stop().await.unwrap();
}
