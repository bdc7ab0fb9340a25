//! Owned objects in other namespaces than their owner.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use evenkeel::dependency::Access;
use evenkeel::ownership::{DEPENDENT_OF, OWNER};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{
    Lab, Widget, WidgetCondition, a_widget, condition, definition, is_ready, message, on, reason,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

/// The namespaces into which widgets are copied.
type Targets = Arc<Mutex<Vec<String>>>;

/// Applies a config map in each target namespace, and deletes those that are no longer wanted.
#[sub_reconciler(sets(on::Fetched, on::Outdated, on::Stored), owns(ConfigMap, namespaces = any))]
async fn copy(widget: &Widget, lab: &Arc<Lab>, targets: &Targets, cx: &mut Cx) -> Result<(), ApiError> {
    lab.note("copy");
    let targets = targets.lock().unwrap().clone();
    let name = widget.spec.store.clone().unwrap_or_else(|| widget.name_any());
    for namespace in &targets {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.clone());
        map.data = Some([("data".to_owned(), widget.spec.child.clone().unwrap_or_default())].into());
        let applied = cx.apply_in(namespace, &map).await?;
        assert_eq!(applied.namespace().as_ref(), Some(namespace));
    }
    for owned in cx.owned_anywhere::<ConfigMap>().await? {
        let namespace = owned.namespace.unwrap_or_default();
        if !targets.contains(&namespace) {
            cx.delete_in::<ConfigMap>(&namespace, &owned.name).await?;
        }
    }
    Ok(())
}

#[reconciler(conditions = WidgetCondition)]
async fn copied(widget: &Widget, lab: &Arc<Lab>, targets: &Targets, cx: &mut Pass<'_>) -> PassResult {
    copy(widget, lab, targets, cx).await?;
    Ok(())
}

struct Started {
    world: World,
    lab: Arc<Lab>,
    targets: Targets,
    other: String,
    operator: Running,
}

fn prepare(world: &World, other: &str, lab: &Arc<Lab>, targets: &Targets) -> evenkeel::Operator {
    world.prepare_in::<copied>(&[&world.namespace, other], (lab.clone(), targets.clone()))
}

/// An operator that copies widgets into another namespace.
async fn start(world: World) -> Started {
    world.install(&definition()).await;
    let other = world.another_namespace().await;
    let (lab, targets) = (Lab::at("a"), Targets::new(Mutex::new(vec![other.clone()])));
    let operator = Running::start(prepare(&world, &other, &lab, &targets));
    Started { world, lab, targets, other, operator }
}

fn maps(world: &World, namespace: &str) -> Api<ConfigMap> {
    Api::namespaced(world.client.clone(), namespace)
}

async fn data(maps: &Api<ConfigMap>, name: &str) -> Option<BTreeMap<String, String>> {
    maps.get_opt(name).await.unwrap().and_then(|map| map.data)
}

async fn until_data(maps: &Api<ConfigMap>, name: &str, wanted: &str) {
    let has = || async { (data(maps, name).await?.get("data")? == wanted).then_some(()) };
    eventually(SOON, has).await;
}

async fn ready(world: &World, name: &str, spec: Value) {
    world.create::<Widget>(a_widget(name, spec)).await;
    world.until::<Widget>(name, "ready", is_ready).await;
}

on_each_server!(
    an_object_elsewhere_is_marked_corrected_and_deleted_with_its_owner,
    objects_of_another_owner_and_copies_of_the_mark_are_left_alone
);

async fn an_object_elsewhere_is_marked_corrected_and_deleted_with_its_owner(world: World) -> World {
    let Started { world, lab, targets, other, operator } = start(world).await;
    ready(&world, "w", json!({ "child": "one" })).await;
    let maps = maps(&world, &other);
    let map = maps.get("w").await.unwrap();
    let widget = world.raw::<Widget>("w").await;
    let uid = widget["metadata"]["uid"].as_str().unwrap();
    let mark = format!("Widget.tests.evenkeel.dev/{}/w/{uid} for ConfigMap/{other}/w", world.namespace);
    assert_eq!((map.annotations()[OWNER].as_str(), map.owner_references().len()), (mark.as_str(), 0));
    assert_eq!(map.labels()[DEPENDENT_OF].len(), 32);
    assert!(widget["metadata"]["finalizers"][0].is_string(), "{widget}");
    // A restart changes nothing.
    world.quiet().await;
    operator.stop().await.unwrap();
    assert_eq!(lab.take_log(), ["copy"], "no pass for its own writes");
    let writes = world.writes();
    let operator = Running::start(prepare(&world, &other, &lab, &targets));
    world.quiet().await;
    assert_eq!((world.writes(), lab.log()), (writes, Vec::new()));
    // Drift is corrected, and a deleted object is made again.
    maps.patch("w", &PatchParams::default(), &Patch::Merge(json!({ "data": { "data": "drift" } }))).await.unwrap();
    until_data(&maps, "w", "one").await;
    maps.delete("w", &DeleteParams::default()).await.unwrap();
    until_data(&maps, "w", "one").await;
    // It is deleted with its owner, from which it has no reference.
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert!(maps.get_opt("w").await.unwrap().is_none());
    operator.stop().await.unwrap();
    world
}

async fn objects_of_another_owner_and_copies_of_the_mark_are_left_alone(world: World) -> World {
    let Started { world, lab: _, targets: _, other, operator } = start(world).await;
    let maps = maps(&world, &other);
    ready(&world, "w", json!({ "child": "one", "store": "shared" })).await;
    world.create::<Widget>(a_widget("v", json!({ "child": "two", "store": "shared" }))).await;
    let blocked =
        |object: &Value| condition(object, "Ready").is_some() && reason(object, "Ready") == "DependentForeign";
    let object = world.until::<Widget>("v", "refused", blocked).await;
    let owner = format!("belongs to Widget {}/w", world.namespace);
    assert!(message(&object, "Ready").contains(&owner), "{object}");
    until_data(&maps, "shared", "one").await;
    // A user copies the object with its labels and annotations.
    let mut map = maps.get("shared").await.unwrap();
    let meta = map.meta_mut();
    (meta.name, meta.resource_version, meta.uid) = (Some("copy".into()), None, None);
    (meta.managed_fields, meta.creation_timestamp) = (None, None);
    maps.create(&PostParams::default(), &map).await.unwrap();
    world.delete::<Widget>("w").await;
    world.until_gone::<Widget>("w").await;
    assert!(maps.get_opt("copy").await.unwrap().is_some(), "its mark names another object");
    // The other widget takes the free name.
    world.until::<Widget>("v", "ready", is_ready).await;
    until_data(&maps, "shared", "two").await;
    world.delete::<Widget>("v").await;
    world.until_gone::<Widget>("v").await;
    operator.stop().await.unwrap();
    world
}

async fn in_process() -> Started {
    start(World::on(Server::InProcess).await.unwrap()).await
}

#[tokio::test]
async fn an_object_elsewhere_that_is_no_longer_wanted_is_deleted_by_its_step() {
    let Started { world, lab: _, targets, other, operator } = in_process().await;
    ready(&world, "w", json!({ "child": "one" })).await;
    let maps = maps(&world, &other);
    until_data(&maps, "w", "one").await;
    // The namespace of the owner is one of any.
    *targets.lock().unwrap() = vec![world.namespace.clone()];
    world.merge::<Widget>("w", json!({ "spec": { "child": "two" } })).await;
    let here = self::maps(&world, &world.namespace);
    until_data(&here, "w", "two").await;
    eventually(SOON, || async { maps.get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    let map = here.get("w").await.unwrap();
    assert_eq!((map.owner_references().len(), map.annotations().get(OWNER)), (1, None));
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn the_finalizer_of_the_owner_waits_for_objects_elsewhere() {
    let Started { world, lab: _, targets: _, other, operator } = in_process().await;
    ready(&world, "w", json!({ "child": "one" })).await;
    let maps = maps(&world, &other);
    let finalizers = |list: Value| Patch::Merge(json!({ "metadata": { "finalizers": list } }));
    maps.patch("w", &PatchParams::default(), &finalizers(json!(["example.com/held"]))).await.unwrap();
    world.quiet().await;
    world.delete::<Widget>("w").await;
    eventually(SOON, || async { maps.get("w").await.unwrap().meta().deletion_timestamp.as_ref().map(drop) }).await;
    world.quiet().await;
    assert!(world.raw::<Widget>("w").await["metadata"]["finalizers"][0].is_string());
    maps.patch("w", &PatchParams::default(), &finalizers(json!(null))).await.unwrap();
    world.until_gone::<Widget>("w").await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn an_owner_that_vanishes_takes_its_objects_elsewhere_with_it() {
    let Started { world, lab: _, targets: _, other, operator } = in_process().await;
    ready(&world, "w", json!({ "child": "one" })).await;
    let maps = maps(&world, &other);
    until_data(&maps, "w", "one").await;
    assert!(world.cluster().delete_despite_finalizers::<Widget>(&world.namespace, "w"));
    eventually(SOON, || async { maps.get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    operator.stop().await.unwrap();
}

#[tokio::test]
async fn a_forbidden_or_unwatched_namespace_is_refused() {
    let Started { world, lab, targets, other, operator } = in_process().await;
    operator.stop().await.unwrap();
    let operator = Running::start(prepare(&world, &other, &lab, &targets).access(Access::SameNamespace));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let stalled =
        |object: &Value| condition(object, "Stalled").is_some() && reason(object, "Stalled") == "AccessDenied";
    world.until::<Widget>("w", "denied", stalled).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<copied>((lab, targets));
    let unwatched = |object: &Value| {
        condition(object, "Ready").is_some() && message(object, "Ready").contains("which this operator does not watch")
    };
    world.until::<Widget>("w", "unwatched", unwatched).await;
    assert!(maps(&world, &other).get_opt("w").await.unwrap().is_none());
    operator.stop().await.unwrap();
}
