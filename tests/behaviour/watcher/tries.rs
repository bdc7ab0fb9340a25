//! Retries of a watcher, and calls that are given up.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::is_ready;
use kube::CustomResourceExt;
use serde_json::json;

use super::service::{Info, InfoError, Service, info, text};

/// Gives up after three calls. Its interval is so long that it does not end in a test: its first one ends at any time within it.
pub(crate) struct Bounded(Arc<Service>);

#[watcher(undo = none, retry = "10s", tries = 3, requeue = "30d")]
impl Bounded {
    async fn add(&self, info: &Info, cx: &mut Cx) -> Result<(), InfoError> {
        self.0.called("add", &format!("{} {}", text(info), cx.tries()))
    }
}

/// The same with an interval that ends in a test.
pub(crate) struct Hourly(Arc<Service>);

#[watcher(undo = none, retry = "10s", tries = 3, requeue = "1h")]
impl Hourly {
    async fn add(&self, info: &Info, cx: &mut Cx) -> Result<(), InfoError> {
        self.0.called("add", &format!("{} {}", text(info), cx.tries()))
    }
}

/// Gives up when the policy returns `None`.
pub(crate) struct Paced(Arc<Service>);

fn pace(error: &InfoError, tries: u32) -> Option<Duration> {
    assert!(matches!(error, InfoError::Busy));
    (tries < 2).then_some(Duration::from_secs(10 << tries))
}

#[watcher(undo = none, retry = pace, requeue = "30d", previous = none)]
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

/// How often a call was given up.
fn given_up(world: &World) -> usize {
    world.notes("a", "GaveUp").len()
}

#[tokio::test(start_paused = true)]
async fn a_call_is_given_up_after_its_tries_and_tried_again_at_the_requeue_interval() {
    let (world, service) = (world().await, Service::new());
    service.fail("add", 4, false);
    let operator = world.operator::<Hourly>(Hourly(service.clone()));
    world.create::<Info>(info("a", "one")).await;
    // The first interval of an object ends at a time of its own.
    after(3600 + 400).await;
    let tries = [0, 1, 2, 0, 1].map(|tries| format!("add a=one {tries}"));
    assert_eq!(service.calls()[..5], tries, "it counts anew");
    assert_eq!(given_up(&world), 1);
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
    assert_eq!((service.calls().last().unwrap().as_str(), given_up(&world)), ("add a=two 0", 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_counts_as_an_error() {
    let (world, service) = (world().await, Service::new());
    service.fail("add", 3, false);
    let (operator, address) = listening(world.prepare::<Bounded>(Bounded(service.clone())));
    let operator = Running::start(operator);
    world.create::<Info>(info("a", "one")).await;
    after(40).await;
    assert_eq!((service.calls().len(), given_up(&world)), (3, 1));
    let name = |result| format!("controller_runtime_reconcile_total{{controller=\"bounded\",result=\"{result}\"}}");
    let samples = samples(address).await;
    assert_eq!((samples[&name("error")], samples[&name("requeue_after")]), (3.0, 0.0));
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
    after(60).await;
    assert_eq!((service.calls().len(), given_up(&world)), (3, 1));
    for text in ["two", "three", "four"] {
        world.merge::<Info>("a", json!({ "spec": { "text": text } })).await;
        after(1).await;
    }
    assert_eq!(service.calls()[3..], ["add a=two", "update a=three", "update a=four"]);
    assert!(world.raw::<Info>("a").await["metadata"]["finalizers"].is_null(), "there is nothing to undo");
    operator.stop().await.unwrap();
}
