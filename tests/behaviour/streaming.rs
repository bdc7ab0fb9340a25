//! First lists as streams: where the server offers them none comes in pages, and elsewhere the server is asked once.

use evenkeel_testkit::{Effect, Fault, Verb};
use evenkeel_tests::on_each_server;
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use evenkeel_tests::wire::Call;
use evenkeel_tests::world::{Running, Server, World};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use serde_json::json;

on_each_server!(objects_come_in_the_watch_or_in_pages_and_none_is_lost);

fn streams(call: &Call) -> bool {
    call.query.contains("sendInitialEvents=true")
}

async fn objects_come_in_the_watch_or_in_pages_and_none_is_lost(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Secret>(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } })).await;
    for i in 0..3 {
        world.create::<Widget>(a_widget(&format!("w-{i}"), json!({ "secret": "s", "child": "x" }))).await;
    }
    let operator = Running::start(world.prepare::<widget>(Lab::at("a")).streaming_lists());
    for i in 0..3 {
        world.until::<Widget>(&format!("w-{i}"), "ready", is_ready).await;
    }
    // Later events come, too.
    world.api::<Widget>().delete("w-0", &DeleteParams::default()).await.unwrap();
    world.create::<Widget>(a_widget("w-3", json!({ "secret": "s" }))).await;
    world.until::<Widget>("w-3", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let (lists, streams) = (world.wire.count(Call::is_list), world.wire.count(streams));
    match world.server {
        Server::Full => assert!(lists >= 3 && (1..=3).contains(&streams), "{lists} lists, {streams} refused streams"),
        _ => assert_eq!((lists, streams), (0, 3), "widgets, config maps, and the secret"),
    }
    world
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_expires_lists_again_as_a_stream() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let operator = Running::start(world.prepare::<widget>(Lab::at("a")).streaming_lists());
    world.until::<Widget>("w", "ready", is_ready).await;
    world.wire.clear();
    world.cluster().compact();
    world.cluster().faults().add(Fault::new(Effect::Expired).resource("widgets").verb(Verb::Watch));
    world.cluster().drop_watches();
    let generation = |object: &serde_json::Value| is_ready(object) && object["metadata"]["generation"] == 2;
    world.merge::<Widget>("w", json!({ "spec": { "child": "x" } })).await;
    world.until::<Widget>("w", "ready in its generation", generation).await;
    world.api::<ConfigMap>().get("w").await.unwrap();
    assert_eq!((world.wire.count(Call::is_list), world.wire.count(streams) > 0), (0, true));
    operator.stop().await.unwrap();
}
