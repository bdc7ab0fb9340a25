//! Unexpected answers: the API server, or a proxy in front of it, did not execute the call, and the operator sends it again.

use std::time::Duration;

use evenkeel_testkit::{Effect, Fault, Verb};
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::Instant;

const WIDGETS: &str = "tester/widget";

/// The next write of the resource gets an unexpected answer.
fn misanswer(world: &World, effect: &Effect, verb: Verb, resource: &str, subresource: &str) {
    let fault = Fault::new(effect.clone()).caller(WIDGETS).verb(verb).resource(resource).subresource(subresource);
    world.cluster().faults().add(fault);
}

/// No resync repairs a lost call.
#[tokio::test(start_paused = true)]
async fn a_write_with_an_unexpected_answer_is_resent() {
    for effect in [Effect::OtherJson, Effect::Garbage, Effect::HalfBody] {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        let operator = world.operator::<widget>(Lab::at("a"));
        // The finalizer, the child and the status.
        for (resource, subresource) in [("widgets", ""), ("configmaps", ""), ("widgets", "status")] {
            misanswer(&world, &effect, Verb::Patch, resource, subresource);
        }
        world.create::<Widget>(a_widget("w", json!({ "child": "x", "interval": "240h" }))).await;
        world.until::<Widget>("w", &format!("{effect:?}: ready"), is_ready).await;
        assert_eq!(world.cluster().faults().pending(), 0, "{effect:?}");
        assert!(world.api::<ConfigMap>().get_opt("w").await.unwrap().is_some(), "{effect:?}: the child is there");
        misanswer(&world, &effect, Verb::Patch, "widgets", "");
        world.delete::<Widget>("w").await;
        world.until_gone::<Widget>("w").await;
        assert_eq!(world.cluster().faults().pending(), 0, "{effect:?}");
        operator.stop().await.unwrap();
    }
}

/// A body that failed, and whose status write failed as well, does not wait for a second back-off once the status is written.
#[tokio::test(start_paused = true)]
async fn a_failed_body_runs_within_a_minute_after_an_outage() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<widget>(Lab::at("a"));
    for (resource, subresource) in [("configmaps", ""), ("widgets", "status")] {
        let fault = Fault::new(Effect::Unavailable).caller(WIDGETS).verb(Verb::Patch);
        world.cluster().faults().add(fault.resource(resource).subresource(subresource).always());
    }
    world.create::<Widget>(a_widget("w", json!({ "child": "x", "interval": "240h" }))).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    world.cluster().faults().clear();
    let over = Instant::now();
    while !is_ready(&world.raw::<Widget>("w").await) {
        assert!(over.elapsed() < Duration::from_secs(60), "the next try is less than a minute away");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    operator.stop().await.unwrap();
}
