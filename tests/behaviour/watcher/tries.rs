//! Retries of a watcher, and calls that are given up.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready};
use kube::CustomResourceExt;
use serde_json::json;

use super::service::{Info, InfoError, Service, info, text};

/// Gives up after three calls.
pub(crate) struct Bounded(Arc<Service>);

#[watcher(undo = none, retry = "10s", tries = 3, requeue = "1h")]
impl Bounded {
    async fn add(&self, info: &Info, cx: &mut Cx) -> Result<(), InfoError> {
        self.0.called("add", &format!("{} {}", text(info), cx.tries()))
    }
}

/// Gives up when the policy says so.
pub(crate) struct Paced(Arc<Service>);

fn pace(error: &InfoError, tries: u32) -> Option<Duration> {
    assert!(matches!(error, InfoError::Busy));
    (tries < 2).then_some(Duration::from_secs(10 << tries))
}

#[watcher(undo = none, retry = pace, requeue = "1h", previous = none)]
impl Paced {
    async fn add(&self, info: &Info) -> Result<(), InfoError> {
        self.0.called("add", &text(info))
    }

    async fn update(&self, info: &Info) -> Result<(), InfoError> {
        self.0.called("update", &text(info))
    }
}

async fn world() -> World {
    let world = World::within(Cluster::start().await);
    world.install(&Info::crd()).await;
    world
}

/// Advances the clock, so that everything that is due within this time has run.
async fn after(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

async fn reason(world: &World) -> String {
    let object = world.raw::<Info>("a").await;
    condition(&object, "Stalled").map_or(String::new(), |stalled| stalled["reason"].as_str().unwrap().to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_call_is_given_up_after_its_tries_and_tried_again_at_the_requeue_interval() {
    let (world, service) = (world().await, Service::new());
    service.fail("add", 4, false);
    let operator = world.operator::<Bounded>(Bounded(service.clone()));
    world.create::<Info>(info("a", "one")).await;
    after(300).await;
    assert_eq!(service.calls(), ["add a=one 0", "add a=one 1", "add a=one 2"]);
    assert_eq!(reason(&world).await, "GaveUp");
    after(3600 + 400).await;
    assert_eq!(service.calls()[3..], ["add a=one 0", "add a=one 1"], "it counts anew");
    assert!(is_ready(&world.raw::<Info>("a").await));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_change_ends_the_pause_of_a_call_that_was_given_up() {
    let (world, service) = (world().await, Service::new());
    service.fail("add", 3, false);
    let operator = world.operator::<Bounded>(Bounded(service.clone()));
    world.create::<Info>(info("a", "one")).await;
    after(300).await;
    world.merge::<Info>("a", json!({ "spec": { "text": "two" } })).await;
    after(5).await;
    assert_eq!(service.calls()[3..], ["add a=two 0"]);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_policy_sets_the_pauses_and_gives_up() {
    let (world, service) = (world().await, Service::new());
    service.fail("add", 3, false);
    let operator = world.operator::<Paced>(Paced(service.clone()));
    world.create::<Info>(info("a", "one")).await;
    // Jitter shortens a pause by at most a quarter.
    after(7).await;
    assert_eq!(service.calls().len(), 1);
    after(4).await;
    assert_eq!(service.calls().len(), 2);
    after(10).await;
    assert_eq!(service.calls().len(), 2);
    after(600).await;
    assert_eq!((service.calls().len(), reason(&world).await.as_str()), (3, "GaveUp"));
    world.merge::<Info>("a", json!({ "spec": { "text": "two" } })).await;
    after(1).await;
    world.merge::<Info>("a", json!({ "spec": { "text": "three" } })).await;
    after(1).await;
    assert_eq!(service.calls()[3..], ["add a=two", "update a=three"]);
    assert!(world.raw::<Info>("a").await["metadata"]["finalizers"].is_null(), "there is nothing to undo");
    operator.stop().await.unwrap();
}
