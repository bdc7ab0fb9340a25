//! The spans of an operator: their nesting and their fields.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::recording_client::Fault;
use evenkeel_tests::spans::Spans;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, is_ready, on, widget};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

#[tokio::test]
async fn spans_nest_as_operator_pass_step_call() {
    let world = world().await;
    let (spans, _guard) = Spans::capture();
    let operator = world.operator::<widget>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "child": "x", "record": true }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    operator.stop().await.unwrap();
    let (object, space) = (format!("{}/w", world.namespace), &world.namespace);
    assert_eq!(spans.values("operator", &["operator"]), ["tester"]);
    let passes = spans.values("operator > pass", &["reconciler", "object", "outcome"]);
    assert_eq!(passes, [format!("widget {object} Done")]);
    assert_eq!(spans.values("operator > pass", &["causes"]), ["appeared,generation"]);
    assert_eq!(spans.values("operator > pass > step", &["step"]), ["fetch", "store"]);
    let call = ["verb", "resource", "object", "code"];
    let of_steps = spans.values("operator > pass > step > call", &call);
    let written =
        [format!("apply widgets.tests.evenkeel.dev/status {object} 200"), format!("apply configmaps {object} 201")];
    assert_eq!(of_steps, written, "the progress of fetch, the child of store");
    let of_the_pass = spans.values("operator > pass > call", &call);
    let resource = "widgets.tests.evenkeel.dev";
    let written = [
        format!("patch {resource} {object} 200"),
        format!("apply {resource}/status {object} 200"),
        format!("create events.events.k8s.io {space} 201"),
    ];
    assert_eq!(of_the_pass, written, "the finalizer, the status, the event");
    let watches = spans.values("operator > call", &["verb", "resource"]);
    assert!(watches.iter().any(|call| call == "watch configmaps"), "{watches:?}");
}

#[tokio::test]
async fn the_pass_span_records_the_outcome() {
    let world = world().await;
    let lab = Lab::at("a");
    let first = world.operator::<widget>(lab.clone());
    for (name, spec) in
        [("done", json!({})), ("stalled", json!({ "fetch": "invalid" })), ("asks", json!({ "fetch": "requeue" }))]
    {
        world.create::<Widget>(a_widget(name, spec)).await;
    }
    world.create::<Widget>(a_widget("frozen", json!({ "suspend": true }))).await;
    world.until::<Widget>("done", "ready", is_ready).await;
    world.until::<Widget>("asks", "written", |object| object["status"]["conditions"].is_array()).await;
    world.quiet().await;
    first.stop().await.unwrap();
    let (spans, _guard) = Spans::capture();
    let second = world.operator::<widget>(lab);
    world.quiet().await;
    let ended = |spans: &Spans| {
        let mut lines = spans.values("operator > pass", &["object", "outcome"]);
        lines.iter_mut().for_each(|line| *line = line.rsplit('/').next().unwrap().to_owned());
        lines.sort();
        lines
    };
    assert_eq!(ended(&spans), ["asks Requeue", "done Unchanged", "frozen Suspended", "stalled Unchanged"]);
    spans.clear();
    world.api::<Widget>().delete("done", &Default::default()).await.unwrap();
    world.merge::<Widget>("stalled", json!({ "spec": { "fetch": "poll" } })).await;
    world.quiet().await;
    second.stop().await.unwrap();
    let lines: Vec<_> = ended(&spans).into_iter().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    assert!(lines.contains(&"done Done".to_owned()) && lines.contains(&"stalled Waiting".to_owned()), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_has_no_code() {
    let world = world().await;
    let (spans, _guard) = Spans::capture();
    let operator = world.operator::<widget>(Lab::at("a"));
    world.quiet().await;
    let mut left = 1;
    world.wire.fault(move |call| {
        let hit = call.is_status_write() && std::mem::replace(&mut left, 0) == 1;
        hit.then_some(Fault::Silence)
    });
    world.create::<Widget>(a_widget("w", json!({}))).await;
    tokio::time::sleep(Duration::from_secs(120)).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let writes = spans.values("operator > pass > call", &["verb", "resource", "code"]);
    let writes: Vec<_> = writes.iter().filter(|call| call.contains("/status")).collect();
    assert_eq!(writes, ["apply widgets.tests.evenkeel.dev/status ", "apply widgets.tests.evenkeel.dev/status 200"]);
}

/// Reads a Secret, alternating with its sibling.
#[sub_reconciler(sets(on::Fetched, on::Outdated), reads(Secret))]
async fn left(_widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx<'_, left>) -> Result<(), WidgetError> {
    cx.get::<Secret>("l1").await?;
    tokio::task::yield_now().await;
    cx.get::<Secret>("l2").await?;
    Ok(())
}

/// Reads a ConfigMap.
#[sub_reconciler(sets(on::Stored), reads(ConfigMap))]
async fn right(_widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx<'_, right>) -> Result<(), WidgetError> {
    cx.get::<ConfigMap>("r1").await?;
    tokio::task::yield_now().await;
    cx.get::<ConfigMap>("r2").await?;
    Ok(())
}

/// Joins both.
#[reconciler(conditions = WidgetCondition)]
async fn joined(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    join(left(widget, lab, cx), right(widget, lab, cx)).await?;
    Ok(())
}

#[tokio::test]
async fn joined_steps_have_separate_call_spans() {
    let world = world().await;
    let (spans, _guard) = Spans::capture();
    let operator = world.operator::<joined>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let calls = spans.all().into_iter().filter(|span| span.path.ends_with("step > call"));
    let mut lines: Vec<_> =
        calls.map(|call| format!("{} {} {}", call.step, call.field("resource"), call.field("code"))).collect();
    lines.sort();
    assert_eq!(lines, ["left secrets 404", "left secrets 404", "right configmaps 404", "right configmaps 404"]);
}

#[tokio::test]
async fn a_watch_started_by_a_step_belongs_to_the_operator() {
    let world = world().await;
    let (spans, _guard) = Spans::capture();
    let operator = world.operator::<widget>(Lab::at("a"));
    let secret: Secret =
        serde_json::from_value(json!({ "metadata": { "name": "s" }, "data": { "k": "dg==" } })).unwrap();
    world.api::<Secret>().create(&Default::default(), &secret).await.unwrap();
    world.create::<Widget>(a_widget("w", json!({ "secret": "s" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.quiet().await;
    operator.stop().await.unwrap();
    let calls = spans.all().into_iter().filter(|span| span.field("resource") == "secrets");
    let mut lines: Vec<_> = calls.map(|call| format!("{}: {}", call.path, call.field("verb"))).collect();
    lines.dedup();
    assert_eq!(lines, ["operator > call: watch"]);
}
