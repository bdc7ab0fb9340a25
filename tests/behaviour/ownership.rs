//! Several operators for the same kind in one cluster: each object belongs to one, and the others do not touch it.

use std::sync::Arc;

use evenkeel::ownership::OPERATOR_NAMESPACE;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::{Value, json};

fn operator(world: &World, lab: &Arc<Lab>, namespace: &str) -> Running {
    Running::start(world.prepare::<widget>(lab.clone()).operator_namespace(namespace))
}

fn owned_by(name: &str, namespace: &str) -> Value {
    let mut object = a_widget(name, json!({}));
    object["metadata"]["annotations"] = json!({ OPERATOR_NAMESPACE: namespace });
    object
}

async fn hand_over(world: &World, namespace: impl Into<Value>) {
    let annotations = json!({ OPERATOR_NAMESPACE: namespace.into() });
    world.merge::<Widget>("w", json!({ "metadata": { "annotations": annotations } })).await;
}

on_each_server!(
    an_unowned_object_is_claimed_with_its_finalizer,
    an_object_of_another_operator_gets_one_event,
    a_handed_over_object_continues_under_the_other_operator,
    a_handed_over_object_waits_for_its_operator,
);

async fn an_unowned_object_is_claimed_with_its_finalizer(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let running = operator(&world, &lab, "here");
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let object = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(object["metadata"]["annotations"][OPERATOR_NAMESPACE], "here");
    world.quiet().await;
    assert_eq!((world.writes(), lab.passes()), (2, 1), "{:#?}", world.wire.calls());
    hand_over(&world, Value::Null).await;
    let is_marked = |w: &Value| w["metadata"]["annotations"][OPERATOR_NAMESPACE] == "here";
    world.until::<Widget>("w", "claimed again", is_marked).await;
    running.stop().await.unwrap();
    world
}

async fn an_object_of_another_operator_gets_one_event(world: World) -> World {
    world.install(&definition()).await;
    // No operator makes it ready.
    world.wire.observers().excuse("w");
    let lab = Lab::at("a");
    let running = operator(&world, &lab, "here");
    world.create::<Widget>(owned_by("w", "there")).await;
    eventually(SOON, || async { (world.events_sent("OwnedElsewhere") == 1).then_some(()) }).await;
    world.merge::<Widget>("w", json!({ "spec": { "child": "y" } })).await;
    world.quiet().await;
    assert_eq!(
        (world.events_sent("OwnedElsewhere"), world.writes(), lab.passes()),
        (1, 0, 0),
        "{:#?}",
        world.wire.calls()
    );
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    world.quiet().await;
    assert_eq!((world.wire.count(|call: &Call| call.is_write() && !call.is_event()), lab.cleanups()), (0, 0));
    running.stop().await.unwrap();
    world
}

async fn a_handed_over_object_waits_for_its_operator(world: World) -> World {
    world.install(&definition()).await;
    let (here, there) = (Lab::at("a"), Lab::at("b"));
    let one = operator(&world, &here, "here");
    world.create::<Widget>(owned_by("w", "here")).await;
    world.until::<Widget>("w", "ready", |w| is_ready(w) && w["status"]["stored"] == "a").await;
    one.stop().await.unwrap();
    hand_over(&world, "there").await;
    let other = operator(&world, &there, "there");
    world.until::<Widget>("w", "another's", |w| is_ready(w) && w["status"]["stored"] == "b").await;
    other.stop().await.unwrap();
    world
}

async fn a_handed_over_object_continues_under_the_other_operator(world: World) -> World {
    world.install(&definition()).await;
    let (here, there) = (Lab::at("a"), Lab::at("b"));
    let (one, other) = (operator(&world, &here, "here"), operator(&world, &there, "there"));
    world.create::<Widget>(owned_by("w", "here")).await;
    world.until::<Widget>("w", "ready", |w| is_ready(w) && w["status"]["stored"] == "a").await;
    hand_over(&world, "there").await;
    world.until::<Widget>("w", "another's", |w| is_ready(w) && w["status"]["stored"] == "b").await;
    world.quiet().await;
    let passes = here.passes();
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert_eq!((here.passes(), here.cleanups(), there.cleanups()), (passes, 0, 1));
    one.stop().await.unwrap();
    other.stop().await.unwrap();
    world
}
