//! Declared triggers: undeclared labels and annotations neither run the body nor change the digest, except those that the claim wrote.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Reconciler;
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, fetch, is_ready, store};
use kube::ResourceExt;
use serde_json::{Value, json};
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
/// Enough time for everything that needs no timer.
const SETTLED: Duration = Duration::from_secs(5);
/// The annotation that the claim sets in addition to the label `name`.
const CLAIMED: &str = "example.com/claimed";
/// An annotation that no step of the widget reads.
const OTHER: &str = "example.com/other";

#[reconciler(conditions = WidgetCondition, triggers(spec), policies(unobserved), suspend(annotation))]
pub(crate) async fn spec_only(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

#[reconciler(conditions = WidgetCondition, triggers(spec, labels("tier"), annotations("note")))]
pub(crate) async fn tiered(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// Sets a label and an annotation.
#[claim]
async fn name_it(widget: &mut Widget) -> Result<(), WidgetError> {
    let name = widget.name_any();
    widget.labels_mut().insert("name".into(), name);
    widget.annotations_mut().insert(CLAIMED.into(), "yes".into());
    Ok(())
}

#[reconciler(conditions = WidgetCondition, triggers(spec), claim = name_it)]
pub(crate) async fn named(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let found = fetch(widget, lab, cx).await?;
    store(widget, lab, &found, cx).await?;
    Ok(())
}

/// A ready widget under an idle operator.
async fn started<R>() -> (World, Arc<Lab>, Running)
where
    R: Reconciler<Object = Widget, Deps = Arc<Lab>>,
{
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<R>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    sleep(SETTLED).await;
    world.wire.clear();
    (world, lab, operator)
}

async fn change(world: &World, what: &str, name: &str, value: impl Into<Value>) {
    let value: Value = value.into();
    world.merge::<Widget>("w", json!({ "metadata": { what: { name: value } } })).await;
}

/// Changes the widget while the operator runs or while it is down.
async fn changed<R>(
    world: &World,
    lab: &Arc<Lab>,
    operator: Running,
    is_down: bool,
    (what, name, value): (&str, &str, Value),
) -> Running
where
    R: Reconciler<Object = Widget, Deps = Arc<Lab>>,
{
    if !is_down {
        change(world, what, name, value).await;
        return operator;
    }
    operator.stop().await.unwrap();
    change(world, what, name, value).await;
    world.operator::<R>(lab.clone())
}

#[tokio::test(start_paused = true)]
async fn an_undeclared_annotation_renewed_each_minute_runs_no_body() {
    let (world, lab, operator) = started::<spec_only>().await;
    let before = lab.passes();
    for minute in 0..1440 {
        change(&world, "annotations", OTHER, minute.to_string()).await;
        sleep(MINUTE).await;
    }
    change(&world, "labels", "tier", "gold").await;
    operator.stop().await.unwrap();
    change(&world, "annotations", OTHER, Value::Null).await;
    let operator = world.operator::<spec_only>(lab.clone());
    sleep(24 * 60 * MINUTE).await;
    assert_eq!((lab.passes() - before, world.writes()), (0, 0), "in a day, and after a restart");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_spec_and_reserved_annotations_always_trigger() {
    let (world, lab, operator) = started::<spec_only>().await;
    let mut bodies = lab.passes();
    let mut ran = async |more: usize, what: &str| {
        sleep(SETTLED).await;
        bodies += more;
        assert_eq!(lab.passes(), bodies, "{what}");
    };
    world.merge::<Widget>("w", json!({ "spec": { "child": "y" } })).await;
    ran(1, "the spec").await;
    change(&world, "annotations", "evenkeel.dev/requestedAt", "now").await;
    ran(1, "a request").await;
    change(&world, "annotations", "evenkeel.dev/suspend", "true").await;
    ran(0, "suspended").await;
    change(&world, "annotations", "evenkeel.dev/suspend", "false").await;
    ran(1, "resumed").await;
    change(&world, "annotations", "evenkeel.dev/policy", "skip").await;
    ran(0, "left alone").await;
    change(&world, "annotations", "evenkeel.dev/policy", "manage").await;
    ran(1, "managed").await;
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_declared_changes_trigger_after_a_restart() {
    let (world, lab, mut operator) = started::<tiered>().await;
    let mut bodies = lab.passes();
    for restarts in [false, true] {
        let cases =
            [("labels", "tier", 1), ("annotations", "note", 1), ("labels", "note", 0), ("annotations", "tier", 0)];
        for (what, name, more) in cases {
            operator =
                changed::<tiered>(&world, &lab, operator, restarts, (what, name, json!(restarts.to_string()))).await;
            sleep(SETTLED).await;
            bodies += more;
            assert_eq!(lab.passes(), bodies, "{what} {name}, restarts: {restarts}");
            // The late digest is stored, so that the next restart uses it.
            sleep(70 * MINUTE).await;
        }
        // Without a restart only another write stores the digest.
        world.merge::<Widget>("w", json!({ "spec": { "record": true } })).await;
        sleep(SETTLED).await;
        bodies = lab.passes();
    }
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fields_written_by_the_claim_always_trigger() {
    let (world, lab, mut operator) = started::<named>().await;
    let labels = async || world.raw::<Widget>("w").await["metadata"].clone();
    let claimed = labels().await;
    assert_eq!((&claimed["labels"]["name"], &claimed["annotations"][CLAIMED]), (&json!("w"), &json!("yes")));
    let mut bodies = lab.passes();
    for restarts in [false, true] {
        for (what, name) in [("labels", "name"), ("annotations", CLAIMED)] {
            for value in [Value::Null, json!("another")] {
                operator = changed::<named>(&world, &lab, operator, restarts, (what, name, value.clone())).await;
                sleep(SETTLED).await;
                let now = labels().await;
                assert_eq!(now["labels"], claimed["labels"], "{what} {name} {value}, restarts: {restarts}");
                assert_eq!(now["annotations"], claimed["annotations"], "{what} {name} {value}, restarts: {restarts}");
                bodies += 1;
                assert_eq!(lab.passes(), bodies, "{what} {name} {value}, restarts: {restarts}");
            }
        }
        change(&world, "labels", "other", restarts.to_string()).await;
        sleep(SETTLED).await;
        assert_eq!(lab.passes(), bodies, "what the claim does not write does not trigger");
        change(&world, "labels", "other", Value::Null).await;
    }
    operator.stop().await.unwrap();
}

async fn only_a_declared_annotation_runs_the_body(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<tiered>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    let (bodies, writes) = (lab.passes(), world.writes());
    for nth in 0..5 {
        change(&world, "annotations", OTHER, nth.to_string()).await;
    }
    world.quiet().await;
    assert_eq!((lab.passes(), world.writes()), (bodies, writes));
    change(&world, "annotations", "note", "1").await;
    eventually(SOON, async || (lab.passes() > bodies).then_some(())).await;
    world.quiet().await;
    assert_eq!((lab.passes(), world.writes()), (bodies + 1, writes), "the status is unchanged");
    operator.stop().await.unwrap();
    world
}

on_each_server!(only_a_declared_annotation_runs_the_body);
