//! Deleted objects: an object is forgotten only when the server shows that it is gone, not after other 404s.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, WidgetError, WidgetStatus, a_widget, definition, is_ready, message, widget,
};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, PostParams};
use kube::core::CustomResourceExt;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// 404 and similar answers of a server that does not serve a path (yet), and a 404 that names an existing object.
const FAULTS: [Fault; 4] = [Fault::PageNotFound, Fault::KindNotFound, Fault::SubresourceNotFound, Fault::Starting];
/// Objects per test: each fault hits three of them.
const OBJECTS: usize = 12;
/// How often each object is hit: the deciding read is hit as well.
const TIMES: usize = 3;

async fn world() -> World {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    world
}

fn names() -> impl Iterator<Item = String> {
    (0..OBJECTS).map(|number| format!("w{number}"))
}

/// The number of the widget in the call.
fn number(call: &Call) -> Option<usize> {
    let (_, name) = call.path.split_once("/widgets/w")?;
    name.trim_end_matches("/status").parse().ok()
}

/// The fault, except for a read, whose 404 with the name of its object would mean that the object is gone.
fn of_a_read(call: &Call, fault: &Fault) -> Fault {
    match fault {
        Fault::SubresourceNotFound if call.method == "GET" => Fault::KindNotFound,
        fault => fault.clone(),
    }
}

/// Fails this many calls about each widget with the fault of its number, starting with the first call that is `like` this.
fn from(like: fn(&Call) -> bool) -> impl FnMut(&Call) -> Option<Fault> {
    let mut met = HashMap::<usize, usize>::new();
    move |call| {
        let number = number(call)?;
        let begun = met.contains_key(&number) || like(call);
        if !begun || met.get(&number).is_some_and(|times| *times >= TIMES) {
            return None;
        }
        *met.entry(number).or_default() += 1;
        Some(of_a_read(call, &FAULTS[number % FAULTS.len()]))
    }
}

/// The same for calls that are `like` this only: the deciding read succeeds.
fn only(like: fn(&Call) -> bool) -> impl FnMut(&Call) -> Option<Fault> {
    let mut inner = from(|_| true);
    move |call| if like(call) { inner(call) } else { None }
}

fn is_finalizer_write(call: &Call) -> bool {
    call.method == "PATCH" && call.body.contains("finalizers")
}

async fn create_all(world: &World) {
    for name in names() {
        world.create::<Widget>(a_widget(&name, json!({}))).await;
    }
}

async fn all_are_ready(world: &World) {
    for name in names() {
        world.until::<Widget>(&name, "ready", is_ready).await;
    }
}

/// Starts an operator and waits until all widgets are ready in spite of the faults.
async fn all_ready(world: &World) -> Running {
    world.install(&definition()).await;
    let operator = world.operator::<widget>(Lab::at("a"));
    create_all(world).await;
    all_are_ready(world).await;
    operator
}

async fn a_404_of_a_status_write_loses_no_object(world: World) -> World {
    world.wire.fault(only(Call::is_status_write));
    all_ready(&world).await.stop().await.unwrap();
    world
}

async fn a_404_of_the_finalizer_loses_no_object(world: World) -> World {
    world.wire.fault(only(is_finalizer_write));
    all_ready(&world).await.stop().await.unwrap();
    world
}

async fn a_404_of_the_last_write_leaves_no_finalizer(world: World) -> World {
    let operator = all_ready(&world).await;
    world.wire.fault(only(is_finalizer_write));
    for name in names() {
        world.delete::<Widget>(&name).await;
    }
    for name in names() {
        world.until_gone::<Widget>(&name).await;
    }
    operator.stop().await.unwrap();
    world
}

#[tokio::test]
async fn a_404_on_read_does_not_forget_the_object() {
    let world = world().await;
    world.wire.fault(from(Call::is_status_write));
    all_ready(&world).await.stop().await.unwrap();
}

/// Deletes an object at once, with or without a finalizer.
async fn remove(world: &World, name: &str) {
    world.merge::<Widget>(name, json!({ "metadata": { "finalizers": null } })).await;
    world.delete::<Widget>(name).await;
    world.until_gone::<Widget>(name).await;
}

/// Starts an operator and holds it inside the reconcile of a widget. The widget is then deleted, and the watch does not report it.
async fn removed_meanwhile<'l>(world: &World, lab: &'l Arc<Lab>) -> (Running, tokio::sync::MutexGuard<'l, ()>) {
    world.install(&definition()).await;
    let held = lab.hold.lock().await;
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    eventually(SOON, || async { (lab.passes() == 1).then_some(()) }).await;
    world.wire.freeze();
    remove(world, "w").await;
    (operator, held)
}

async fn the_status_of_a_deleted_object_is_dropped(world: World) -> World {
    let lab = Lab::at("a");
    let (operator, held) = removed_meanwhile(&world, &lab).await;
    world.wire.clear();
    drop(held);
    let written = || async { (world.wire.count(Call::is_status_write) > 0).then_some(()) };
    eventually(SOON, written).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let about = |call: &Call| call.path.contains("/widgets/w");
    assert_eq!(world.wire.count(Call::is_status_write), 1, "{:#?}", world.wire.calls());
    assert_eq!(world.wire.count(|call| about(call) && !call.is_write()), 1, "one read decides");
    world.wire.thaw();
    operator.stop().await.unwrap();
    world
}

async fn a_recreated_object_is_a_new_object(world: World) -> World {
    let lab = Lab::at("a");
    let (operator, held) = removed_meanwhile(&world, &lab).await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    drop(held);
    world.quiet().await;
    world.wire.thaw();
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_404_of_a_status_write_loses_no_object,
    a_404_of_the_finalizer_loses_no_object,
    a_404_of_the_last_write_leaves_no_finalizer,
    the_status_of_a_deleted_object_is_dropped,
    a_recreated_object_is_a_new_object,
    a_missing_status_subresource_is_reported_with_the_fix,
);

#[tokio::test]
async fn a_404_of_a_watch_does_not_mean_absent() {
    for fault in FAULTS {
        let world = world().await;
        let secret: Secret = serde_json::from_value(json!({ "metadata": { "name": "s" } })).unwrap();
        world.api::<Secret>().create(&PostParams::default(), &secret).await.unwrap();
        world.wire.fault(move |call| call.path.contains("/secrets").then(|| fault.clone()));
        let operator = world.operator::<widget>(Lab::at("a"));
        world.create::<Widget>(a_widget("w", json!({ "secret": "s" }))).await;
        let waiting = world.until::<Widget>("w", "waiting", |o| !message(o, "Fetched").is_empty()).await;
        assert!(message(&waiting, "Fetched").contains("cannot be read"), "{waiting:#}");
        world.wire.mend();
        world.until::<Widget>("w", "ready", is_ready).await;
        operator.stop().await.unwrap();
    }
}

/// Reads a Secret by name without watching it.
#[sub_reconciler(sets(evenkeel_tests::widget::on::Fetched), polls(Secret))]
async fn read(_: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, read>) -> Result<(), WidgetError> {
    let found = cx.get::<Secret>("s").await;
    lab.note(match &found {
        Ok(Some(_)) => "there",
        Ok(None) => "absent",
        Err(_) => "unread",
    });
    found?;
    Ok(())
}

/// Deletes a child.
#[sub_reconciler(sets(evenkeel_tests::widget::on::Stored, evenkeel_tests::widget::on::Outdated), owns(ConfigMap))]
async fn drop_child(_: &Widget, cx: &mut Cx<'_, drop_child>) -> Result<(), WidgetError> {
    cx.delete::<ConfigMap>("m").await?;
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn reader(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    read(widget, lab, cx).await?;
    drop_child(widget, cx).await?;
    Ok(())
}

/// Runs the reader on an existing Secret and child, with the fault at calls to `what`.
async fn reads(fault: &Fault, method: &'static str, what: &'static str) -> Arc<Lab> {
    let (world, fault) = (world().await, fault.clone());
    let secret: Secret = serde_json::from_value(json!({ "metadata": { "name": "s" } })).unwrap();
    world.api::<Secret>().create(&PostParams::default(), &secret).await.unwrap();
    // Created by the reconciler, according to its field manager.
    let child = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "m" }, "data": { "a": "b" } });
    let ours = kube::api::PatchParams::apply("tester/reader");
    world.api::<ConfigMap>().patch("m", &ours, &kube::api::Patch::Apply(&child)).await.unwrap();
    let mut left = 2;
    world.wire.fault(move |call| {
        let hit = left > 0 && call.method == method && call.path.ends_with(what);
        left -= usize::from(hit);
        hit.then(|| of_a_read(call, &fault))
    });
    let lab = Lab::at("a");
    let operator = world.operator::<reader>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    assert!(world.api::<ConfigMap>().get_opt("m").await.unwrap().is_none(), "the child is deleted");
    operator.stop().await.unwrap();
    lab
}

#[tokio::test]
async fn a_404_of_a_read_does_not_mean_absent() {
    for fault in FAULTS {
        let lab = reads(&fault, "GET", "/secrets/s").await;
        assert_eq!(lab.log()[..3], ["unread", "unread", "there"], "{fault:?}");
    }
}

#[tokio::test]
async fn a_404_of_a_delete_is_not_success() {
    for fault in FAULTS {
        let lab = reads(&fault, "DELETE", "/configmaps/m").await;
        assert!(!lab.log().contains(&"absent".to_owned()), "{fault:?}");
    }
}

/// A kind whose CRD has no status subresource.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Stub", namespaced, status = "WidgetStatus")]
struct StubSpec {
    text: Option<String>,
}

/// The condition of a stub.
#[derive(ConditionSet)]
#[condition_set(mod = is)]
enum StubCondition {
    /// It was seen.
    #[condition(positive)]
    Seen,
}

#[sub_reconciler(sets(is::Seen))]
async fn see(stub: &Stub, lab: &Arc<Lab>, _: &mut Cx<'_, see>) -> Result<(), WidgetError> {
    lab.note(&format!("see {}", stub.name_any()));
    Ok(())
}

#[reconciler(conditions = StubCondition)]
async fn stub(stub: &Stub, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see(stub, lab, cx).await?;
    Ok(())
}

fn without_subresource() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition
{
    let mut crd = Stub::crd();
    crd.spec.versions[0].subresources = None;
    crd
}

/// An operator that may not read the CRD reconciles a stub.
async fn stubbed(world: &World) -> Running {
    world.install(&without_subresource()).await;
    let hides = |call: &Call| call.path.contains("/customresourcedefinitions") || call.path.starts_with("/openapi");
    world.wire.fault(move |call| hides(call).then_some(Fault::Answer(403, None)));
    let stub =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Stub", "metadata": { "name": "s" }, "spec": {} });
    world.create::<Stub>(stub).await;
    world.operator::<stub>(Lab::at("a"))
}

async fn a_missing_status_subresource_is_reported_with_the_fix(world: World) -> World {
    let operator = stubbed(&world).await;
    let is_report = |call: &Call| call.is_event() && call.body.contains("StatusNotWritten");
    let event = eventually(SOON, || async { world.wire.calls().into_iter().find(is_report) }).await;
    let text = event.body;
    assert!(text.contains("stubs.tests.evenkeel.dev") && text.contains("subresources: { status: {} }"), "{text}");
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn a_missing_status_subresource_causes_no_hot_loop() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = stubbed(&world).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    let writes = world.wire.count(Call::is_status_write);
    assert!((5..=12).contains(&writes), "{writes} in ten minutes");
    world.install(&Stub::crd()).await;
    let ready = || async { Some(world.raw::<Stub>("s").await).filter(is_ready as fn(&Value) -> bool) };
    eventually(Duration::from_secs(700), ready).await;
    operator.stop().await.unwrap();
    world.api::<Stub>().delete("s", &DeleteParams::default()).await.unwrap();
}
