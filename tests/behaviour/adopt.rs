//! Objects of other owners: a step neither changes nor deletes them, and waits until the owner changes.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::testing;
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, message, reason, status_of, widget};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::ResourceExt;
use kube::api::DeleteParams;
use kube::core::ObjectMeta;
use serde_json::{Value, json};
use tokio::sync::watch;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum AdoptCondition {
    /// The map is published.
    #[condition(positive)]
    Published,
}

/// Applies a ConfigMap with the word of the spec, or deletes it.
async fn write<S>(widget: &Widget, lab: &Lab, cx: &mut Cx<'_, S>) -> Result<(), ApiError>
where
    S: evenkeel::SubReconciler,
    ConfigMap: evenkeel::permission::OwnedBy<S>,
{
    lab.note(&widget.name_any());
    let word = widget.spec.fetch.clone().unwrap_or_default();
    match widget.spec.store.as_deref() {
        Some("delete") => cx.delete::<ConfigMap>("settings").await,
        _ => cx.apply(&settings(&word)).await.map(drop),
    }
}

fn settings(word: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some("settings".into()), ..ObjectMeta::default() },
        data: Some([("word".to_owned(), word.to_owned())].into()),
        ..ConfigMap::default()
    }
}

/// Adopts no object.
#[sub_reconciler(sets(on::Published), owns(ConfigMap))]
async fn publish(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, publish>) -> Result<(), ApiError> {
    write(widget, lab, cx).await
}

#[reconciler(conditions = AdoptCondition)]
async fn publisher(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    publish(widget, lab, cx).await?;
    Ok(())
}

/// Adopts objects without an owner.
#[sub_reconciler(sets(on::Published), owns(ConfigMap, adopt = if_unowned))]
async fn publish_unowned(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, publish_unowned>) -> Result<(), ApiError> {
    write(widget, lab, cx).await
}

#[reconciler(conditions = AdoptCondition)]
async fn adopter(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    publish_unowned(widget, lab, cx).await?;
    Ok(())
}

/// Adopts any object.
#[sub_reconciler(sets(on::Published), owns(ConfigMap, adopt = always))]
async fn publish_always(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, publish_always>) -> Result<(), ApiError> {
    write(widget, lab, cx).await
}

#[reconciler(conditions = AdoptCondition)]
async fn taker(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    publish_always(widget, lab, cx).await?;
    Ok(())
}

/// Applies a Service with the word of the spec as a label.
#[sub_reconciler(sets(on::Published), owns(Service))]
async fn serve(widget: &Widget, _lab: &Arc<Lab>, cx: &mut Cx<'_, serve>) -> Result<(), ApiError> {
    let mut service: Service = serde_json::from_value(json!({ "metadata": { "name": "web" } }))
        .map_err(|error| ApiError::Invalid(error.to_string().into()))?;
    service.metadata.labels = widget.spec.fetch.clone().map(|word| [("word".to_owned(), word)].into());
    let spec = json!({ "ports": [{ "port": 80, "protocol": "TCP" }], "selector": { "app": "web" } });
    service.spec = serde_json::from_value(spec).ok();
    cx.apply(&service).await.map(drop)
}

#[reconciler(conditions = AdoptCondition)]
async fn server(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    serve(widget, lab, cx).await?;
    Ok(())
}

/// Creates a ConfigMap as a user would.
async fn make_theirs(world: &World) -> ConfigMap {
    world.create::<ConfigMap>(json!({ "metadata": { "name": "settings" }, "data": { "theirs": "1" } })).await
}

/// Creates the same ConfigMap, owned by another object.
async fn make_owned(world: &World) -> ConfigMap {
    let owner: ConfigMap = world.create(json!({ "metadata": { "name": "owner" } })).await;
    let owner =
        json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.uid(), "controller": true }]);
    let metadata = json!({ "name": "settings", "ownerReferences": owner });
    world.create::<ConfigMap>(json!({ "metadata": metadata, "data": { "theirs": "1" } })).await
}

fn is_write_of_settings(call: &Call) -> bool {
    call.is_write() && call.path.ends_with("/configmaps/settings")
}

fn is_foreign(widget: &Value) -> bool {
    reason(widget, "Ready") == "DependentForeign"
}

/// Waits until the widget waits for the owner of the ConfigMap, and checks that the ConfigMap is unchanged.
async fn refused(world: &World, name: &str, theirs: &ConfigMap) -> Value {
    let widget = world.until::<Widget>(name, "refused", is_foreign).await;
    assert_eq!((status_of(&widget, "Ready"), status_of(&widget, "Reconciling")), ("False".into(), "True".into()));
    untouched(world, theirs).await;
    widget
}

async fn untouched(world: &World, theirs: &ConfigMap) {
    let now = world.api::<ConfigMap>().get("settings").await.unwrap();
    assert_eq!((&now.data, now.owner_references()), (&theirs.data, theirs.owner_references()));
    assert_eq!(now.uid(), theirs.uid());
}

/// The owner and the words of the ConfigMap.
async fn ours(world: &World) -> (String, Vec<String>) {
    let map = world.api::<ConfigMap>().get("settings").await.unwrap();
    let owners: Vec<_> = map.owner_references().iter().map(|owner| format!("{} {}", owner.kind, owner.name)).collect();
    (owners.join(", "), map.data.unwrap_or_default().into_keys().collect())
}

async fn free(world: &World) {
    world.api::<ConfigMap>().delete("settings", &DeleteParams::default()).await.unwrap();
}

on_each_server!(
    an_unowned_object_is_left_alone,
    if_unowned_leaves_objects_of_another_owner_alone,
    a_propagated_refusal_is_a_wait,
    an_object_created_after_the_check_is_left_alone,
    a_replaced_object_is_neither_changed_nor_deleted,
    always_takes_over_from_another_owner_and_never_from_a_sibling,
    an_object_with_our_reference_or_manager_stays_ours,
    a_service_is_created_once_and_then_applied,
);

async fn an_unowned_object_is_left_alone(world: World) -> World {
    world.install(&definition()).await;
    let theirs = make_theirs(&world).await;
    let lab = Lab::at("a");
    let operator = world.operator::<publisher>(lab.clone());
    for name in ["v", "w"] {
        world.create::<Widget>(a_widget(name, json!({ "fetch": "hello" }))).await;
    }
    let widget = refused(&world, "w", &theirs).await;
    let text = message(&widget, "Ready").to_owned();
    let object = format!("ConfigMap {}/settings has no owner", world.namespace);
    assert!(text.starts_with(&object) && text.contains("`owns(ConfigMap, adopt = if_unowned)`"), "{text}");
    refused(&world, "v", &theirs).await;
    world.delete::<Widget>("v").await;
    world.until_gone::<Widget>("v").await;
    world.quiet().await;
    untouched(&world, &theirs).await;
    let passes = lab.log().len();
    world.merge::<ConfigMap>("settings", json!({ "data": { "more": "2" } })).await;
    world.quiet().await;
    assert_eq!(lab.log().len(), passes, "a change of its content triggers nothing");
    free(&world).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(ours(&world).await, ("Widget w".into(), vec!["word".into()]));
    operator.stop().await.unwrap();
    world
}

async fn if_unowned_leaves_objects_of_another_owner_alone(world: World) -> World {
    world.install(&definition()).await;
    let theirs = make_owned(&world).await;
    let operator = world.operator::<adopter>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    let widget = refused(&world, "w", &theirs).await;
    let text = message(&widget, "Ready");
    assert!(text.contains("belongs to ConfigMap owner") && text.contains("adopt = always"), "{text}");
    world.merge::<ConfigMap>("settings", json!({ "metadata": { "ownerReferences": null } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(ours(&world).await, ("Widget w".into(), vec!["theirs".into(), "word".into()]), "adopted as it was");
    operator.stop().await.unwrap();
    world
}

async fn a_propagated_refusal_is_a_wait(world: World) -> World {
    world.install(&definition()).await;
    let theirs: ConfigMap = world.create(json!({ "metadata": { "name": "w" }, "data": { "theirs": "1" } })).await;
    let lab = Lab::at("a");
    // The step classifies all API errors as transient.
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    let waiting = world.until::<Widget>("w", "refused", is_foreign).await;
    assert_eq!((reason(&waiting, "Stored"), status_of(&waiting, "Stalled")), ("DependentForeign", String::new()));
    world.quiet().await;
    assert_eq!(lab.passes(), 1, "it waits, and is not retried");
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    world.quiet().await;
    let now = world.api::<ConfigMap>().get("w").await.unwrap();
    assert_eq!((now.data, now.metadata.owner_references), (theirs.data, None));
    operator.stop().await.unwrap();
    world
}

async fn an_object_created_after_the_check_is_left_alone(world: World) -> World {
    world.install(&definition()).await;
    let (pass_on, held) = watch::channel(false);
    world.wire.fault(move |call| is_write_of_settings(call).then(|| Fault::Hold(held.clone())));
    let operator = world.operator::<publisher>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    eventually(SOON, || async { (world.wire.count(is_write_of_settings) > 0).then_some(()) }).await;
    let theirs = make_theirs(&world).await;
    pass_on.send_replace(true);
    refused(&world, "w", &theirs).await;
    free(&world).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn a_replaced_object_is_neither_changed_nor_deleted(world: World) -> World {
    world.install(&definition()).await;
    let operator = world.operator::<publisher>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    for deed in [json!({ "fetch": "again" }), json!({ "store": "delete" })] {
        world.until::<Widget>("w", "ready", is_ready).await;
        // The cache still shows our object, but the change of the widget must arrive.
        world.wire.freeze_only("/configmaps");
        free(&world).await;
        let theirs = make_theirs(&world).await;
        world.merge::<Widget>("w", json!({ "spec": deed })).await;
        refused(&world, "w", &theirs).await;
        world.wire.thaw();
        free(&world).await;
    }
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn always_takes_over_from_another_owner_and_never_from_a_sibling(world: World) -> World {
    world.install(&definition()).await;
    make_owned(&world).await;
    let operator = world.operator::<taker>(Lab::at("a"));
    world.create::<Widget>(a_widget("v", json!({ "fetch": "hello" }))).await;
    world.until::<Widget>("v", "ready", is_ready).await;
    assert_eq!(ours(&world).await, ("Widget v".into(), vec!["theirs".into(), "word".into()]));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "goodbye" }))).await;
    let widget = world.until::<Widget>("w", "refused", is_foreign).await;
    assert!(message(&widget, "Ready").contains("belongs to Widget v"), "{}", message(&widget, "Ready"));
    world.quiet().await;
    assert_eq!(ours(&world).await.0, "Widget v");
    operator.stop().await.unwrap();
    world
}

async fn an_object_with_our_reference_or_manager_stays_ours(world: World) -> World {
    world.install(&definition()).await;
    let operator = world.operator::<publisher>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    let widget = world.until::<Widget>("w", "ready", is_ready).await;
    world.merge::<ConfigMap>("settings", json!({ "metadata": { "ownerReferences": null } })).await;
    eventually(SOON, || async { (ours(&world).await.0 == "Widget w").then_some(()) }).await;
    operator.stop().await.unwrap();
    // An object of another field manager with our owner reference.
    free(&world).await;
    let owner = json!([{ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Widget", "name": "w", "uid": widget["metadata"]["uid"],
        "controller": true, "blockOwnerDeletion": true }]);
    let metadata = json!({ "name": "settings", "ownerReferences": owner });
    world.create::<ConfigMap>(json!({ "metadata": metadata, "data": { "word": "of old" } })).await;
    let operator = world.operator::<publisher>(Lab::at("a"));
    eventually(SOON, || async {
        let map = world.api::<ConfigMap>().get("settings").await.unwrap();
        (map.data.unwrap_or_default().get("word").map(String::as_str) == Some("hello")).then_some(())
    })
    .await;
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn a_service_is_created_once_and_then_applied(world: World) -> World {
    world.install(&definition()).await;
    let spec = json!({ "ports": [{ "port": 443, "protocol": "TCP" }], "selector": { "theirs": "1" } });
    let theirs: Service = world.create(json!({ "metadata": { "name": "web" }, "spec": spec })).await;
    let operator: Running = world.operator::<server>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    world.until::<Widget>("w", "refused", is_foreign).await;
    let services = world.api::<Service>();
    assert_eq!(services.get("web").await.unwrap().spec, theirs.spec);
    services.delete("web", &DeleteParams::default()).await.unwrap();
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(services.get("web").await.unwrap().labels().get("word").map(String::as_str), Some("hello"));
    world.merge::<Widget>("w", json!({ "spec": { "fetch": null } })).await;
    // A field that is no longer applied is removed, however the object was created.
    eventually(SOON, || async { services.get("web").await.unwrap().labels().is_empty().then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn deleting_an_absent_child_succeeds() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<publisher>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    world.wire.freeze_only("/configmaps");
    free(&world).await;
    world.wire.clear();
    world.merge::<Widget>("w", json!({ "spec": { "store": "delete" } })).await;
    world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(world.wire.count(is_write_of_settings), 1);
    operator.stop().await.unwrap();
}

/// Kubernetes 1.20 in process, which rejects a resourceVersion in an apply that creates a Service.
async fn early() -> World {
    World::beside(Cluster::builder().minor_version(20).start().await).await
}

#[tokio::test]
async fn on_1_20_a_service_is_created_only_when_absent() {
    a_service_is_created_once_and_then_applied(early().await).await;
}

#[tokio::test]
async fn on_1_20_a_service_created_meanwhile_is_left_alone() {
    let world = early().await;
    world.install(&definition()).await;
    let (pass_on, held) = watch::channel(false);
    let is_create = |call: &Call| call.method == "POST" && call.path.ends_with("/services");
    world.wire.fault(move |call| is_create(call).then(|| Fault::Hold(held.clone())));
    let operator = world.operator::<server>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hello" }))).await;
    eventually(SOON, || async { (world.wire.count(is_create) > 0).then_some(()) }).await;
    assert!(world.wire.calls().iter().filter(|call| is_create(call)).all(|call| call.query.contains("fieldManager=")));
    let spec = json!({ "ports": [{ "port": 443, "protocol": "TCP" }] });
    let theirs: Service = world.create(json!({ "metadata": { "name": "web" }, "spec": spec })).await;
    pass_on.send_replace(true);
    world.until::<Widget>("w", "refused", is_foreign).await;
    assert_eq!(world.api::<Service>().get("web").await.unwrap().spec, theirs.spec);
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_step_test_refuses_foreign_objects_like_its_operator() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let theirs = make_theirs(&world).await;
    let object: Widget = world.create(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    let tried = testing::run_step::<publish, _>(&object, world.client.clone(), "tester", async |cx| {
        publish(&object, &lab, cx).await
    })
    .await;
    let halt = tried.value.unwrap_err();
    assert_eq!((halt.reason(), halt.class()), ("DependentForeign", evenkeel::Class::Waiting { poll: None }));
    untouched(&world, &theirs).await;
}
