//! The life of a watched object.

use std::sync::Arc;

use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::is_ready;
use kube::CustomResourceExt;
use serde_json::json;

use super::service::{Directory, Info, Infos, Service, events, info};

on_each_server!(
    an_object_is_added_updated_and_deleted,
    a_failed_add_is_repeated_with_the_newest_object,
    a_failed_update_gets_the_same_earlier_version,
    what_is_deleted_while_the_operator_is_down_is_deleted_at_its_start,
    a_settled_watcher_is_quiet_after_a_restart,
    a_plain_watcher_writes_nothing
);

async fn start(world: &World, service: &Arc<Service>) -> Running {
    world.install(&Info::crd()).await;
    world.operator::<Infos>(Infos { service: service.clone() })
}

/// Waits for this number of calls.
async fn calls(service: &Service, count: usize) -> Vec<String> {
    eventually(SOON, || async { (service.calls().len() >= count).then_some(()) }).await;
    service.calls()
}

async fn rewrite(world: &World, text: &str) {
    world.merge::<Info>("a", json!({ "spec": { "text": text } })).await;
}

async fn an_object_is_added_updated_and_deleted(world: World) -> World {
    let service = Service::new();
    let operator = start(&world, &service).await;
    world.create::<Info>(info("a", "one")).await;
    let added = world.until::<Info>("a", "ready", is_ready).await;
    assert_eq!(added["status"]["observedInputs"]["added"], true);
    rewrite(&world, "two").await;
    calls(&service, 2).await;
    world.merge::<Info>("a", json!({ "metadata": { "labels": { "tier": "web" } } })).await;
    calls(&service, 3).await;
    world.until::<Info>("a", "ready", is_ready).await;
    world.quiet().await;
    assert_eq!(service.calls(), ["add a=one", "update one a=two 0", "update two a=two 0"]);
    world.delete::<Info>("a").await;
    world.until_gone::<Info>("a").await;
    assert_eq!(service.calls().last().unwrap(), "delete a=two");
    assert_eq!(service.calls().len(), 4);
    operator.stop().await.unwrap();
    world
}

async fn a_failed_add_is_repeated_with_the_newest_object(world: World) -> World {
    let service = Service::new();
    service.fail("add", 2, false);
    let operator = start(&world, &service).await;
    world.create::<Info>(info("a", "one")).await;
    calls(&service, 1).await;
    rewrite(&world, "two").await;
    world.until::<Info>("a", "ready", is_ready).await;
    let calls = service.calls();
    assert!(calls.len() == 3 && calls.iter().all(|call| call.starts_with("add")), "{calls:?}");
    assert_eq!(calls[2], "add a=two");
    operator.stop().await.unwrap();
    world
}

async fn a_failed_update_gets_the_same_earlier_version(world: World) -> World {
    let service = Service::new();
    service.fail("update", 2, false);
    let operator = start(&world, &service).await;
    world.create::<Info>(info("a", "one")).await;
    world.until::<Info>("a", "ready", is_ready).await;
    rewrite(&world, "two").await;
    calls(&service, 3).await;
    rewrite(&world, "three").await;
    let is_done = |call: &String| call.starts_with("update one a=three");
    eventually(SOON, || async { service.calls().iter().any(is_done).then_some(()) }).await;
    world.until::<Info>("a", "ready", is_ready).await;
    world.quiet().await;
    let calls = service.calls();
    assert_eq!(calls[..2], ["add a=one", "update one a=two 0"], "{calls:?}");
    assert!(calls[1..].iter().all(|call| call.starts_with("update one")), "{calls:?}");
    operator.stop().await.unwrap();
    world
}

async fn what_is_deleted_while_the_operator_is_down_is_deleted_at_its_start(world: World) -> World {
    let service = Service::new();
    let operator = start(&world, &service).await;
    for name in ["a", "b"] {
        world.create::<Info>(info(name, "one")).await;
        world.until::<Info>(name, "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    world.delete::<Info>("a").await;
    let operator = world.operator::<Infos>(Infos { service: service.clone() });
    world.until_gone::<Info>("a").await;
    calls(&service, 4).await;
    world.quiet().await;
    let mut calls = service.calls().split_off(2);
    calls.sort();
    assert_eq!(calls, ["delete a=one", "sync b=one"]);
    operator.stop().await.unwrap();
    world
}

async fn a_settled_watcher_is_quiet_after_a_restart(world: World) -> World {
    let service = Service::new();
    world.install(&Info::crd()).await;
    let start = || world.operator::<events>(service.clone().into());
    let operator = start();
    world.create::<Info>(info("a", "one")).await;
    world.until::<Info>("a", "ready", is_ready).await;
    world.merge::<Info>("a", json!({ "metadata": { "labels": { "tier": "web" } } })).await;
    operator.stop().await.unwrap();
    let operator = start();
    world.quiet().await;
    assert_eq!(service.calls(), ["CREATE a=one"]);
    rewrite(&world, "two").await;
    calls(&service, 2).await;
    assert_eq!(service.calls()[1], "UPDATE one a=two");
    world.delete::<Info>("a").await;
    world.until_gone::<Info>("a").await;
    assert_eq!(service.calls()[2..], ["DELETE a=two"]);
    operator.stop().await.unwrap();
    world
}

async fn a_plain_watcher_writes_nothing(world: World) -> World {
    let service = Service::new();
    world.install(&Info::crd()).await;
    let start = || world.operator::<Directory>(Directory { service: service.clone() });
    let operator = start();
    world.create::<Info>(info("a", "one")).await;
    calls(&service, 1).await;
    rewrite(&world, "two").await;
    calls(&service, 2).await;
    world.delete::<Info>("a").await;
    calls(&service, 3).await;
    assert_eq!(service.calls(), ["sync a=one", "sync a=two", "delete a=two"]);
    // Another object of the same name.
    world.create::<Info>(info("a", "three")).await;
    calls(&service, 4).await;
    operator.stop().await.unwrap();
    let operator = start();
    calls(&service, 5).await;
    world.quiet().await;
    assert_eq!(service.calls()[3..], ["sync a=three", "sync a=three"]);
    assert_eq!(world.writes(), 0);
    operator.stop().await.unwrap();
    world
}
