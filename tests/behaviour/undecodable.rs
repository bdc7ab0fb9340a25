//! Objects that do not fit their type: reported with the field and counted; the message names their finalizer.

use evenkeel::crd;
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{get, listening, objects, samples};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{WidgetError, is_ready};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use schemars::JsonSchema;
use serde_json::{Value, json};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "undecodable.tests.evenkeel.dev", version = "v1", kind = "Oddity", namespaced, status = "OddityStatus")]
pub(super) struct OdditySpec {
    size: u32,
}

#[evenkeel::status]
pub struct OddityStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(super) enum OddityCondition {
    /// It was made.
    #[condition(positive)]
    Made,
}

#[sub_reconciler(sets(on::Made), external)]
async fn make(_: &Oddity, _cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
    Ok(())
}

#[cleanup(of = make)]
async fn unmake(_: &Oddity, _cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
    Ok(())
}

#[reconciler(conditions = OddityCondition, requeue = "30d")]
pub(super) async fn oddity(oddity: &Oddity, cx: &mut Pass<'_>) -> PassResult {
    make(oddity, cx).await?;
    Ok(())
}

const COUNT: &str = "evenkeel_undecodable_objects{controller=\"oddity\"}";

/// A CRD that accepts objects which do not fit the type.
pub(super) fn lax() -> CustomResourceDefinition {
    let mut value = serde_json::to_value(crd::<oddity>()).unwrap();
    let properties = &mut value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    properties["spec"] = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    serde_json::from_value(value).unwrap()
}

fn raw(world: &World) -> Api<DynamicObject> {
    let resource = kube::core::ApiResource::erase::<Oddity>(&());
    Api::namespaced_with(world.client.clone(), &world.namespace, &resource)
}

pub(super) async fn create(world: &World, name: &str, size: Value) {
    let object: DynamicObject = serde_json::from_value(json!({ "apiVersion": "undecodable.tests.evenkeel.dev/v1",
        "kind": "Oddity", "metadata": { "name": name }, "spec": { "size": size } }))
    .unwrap();
    eventually(SOON, || async { raw(world).create(&PostParams::default(), &object).await.ok() }).await;
}

async fn resize(world: &World, name: &str, size: Value) {
    let patch = Patch::Merge(json!({ "spec": { "size": size } }));
    raw(world).patch(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn a_note(world: &World, name: &str, words: &str) -> String {
    eventually(SOON, || async { world.notes(name, "Undecodable").into_iter().find(|note| note.contains(words)) }).await
}

on_each_server!(an_undecodable_object_is_reported_and_counted, a_deleted_undecodable_object_names_its_finalizer);

async fn an_undecodable_object_is_reported_and_counted(world: World) -> World {
    world.install(&lax()).await;
    create(&world, "odd", json!("hidden-value")).await;
    let (operator, address) = listening(world.prepare::<oddity>(()));
    let operator = Running::start(operator);
    let note = a_note(&world, "odd", "does not fit its type").await;
    let wanted = "the Oddity does not fit its type: spec.size: invalid type: string, expected u32; \
        the object is not reconciled until the field is corrected";
    assert_eq!(note, wanted);
    create(&world, "fine", json!(1)).await;
    world.until::<Oddity>("fine", "ready", is_ready).await;
    assert_eq!(samples(address).await[COUNT], 1.0);
    let shown = objects(address, "kind=Oddity&name=odd").await.remove(0);
    assert_eq!((&shown["isReady"], &shown["lastPass"]["outcome"]), (&json!(false), &json!("Undecodable")), "{shown:#}");
    assert!(shown["undecodable"].as_str().unwrap().starts_with("spec.size: invalid type: string"), "{shown:#}");
    let page = get(address, "/debug/objects").await.body;
    assert!(page.contains("Undecodable: spec.size: ") && !page.contains("hidden-value"), "{page}");
    let odd = raw(&world).get("odd").await.unwrap().metadata;
    let about = json!({ "apiVersion": "undecodable.tests.evenkeel.dev/v1", "kind": "Oddity", "namespace": odd.namespace,
        "name": "odd", "uid": odd.uid });
    assert_eq!(world.sent("odd", "Undecodable")[0]["regarding"], about);
    // Another change does not repeat the event.
    let label = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
    raw(&world).patch("odd", &PatchParams::default(), &label).await.unwrap();
    world.quiet().await;
    assert_eq!(world.events_sent("Undecodable"), 1);
    resize(&world, "odd", json!(2)).await;
    world.until::<Oddity>("odd", "ready", is_ready).await;
    assert_eq!(samples(address).await[COUNT], 0.0);
    assert_eq!(objects(address, "kind=Oddity&name=odd").await.remove(0)["undecodable"], json!(null));
    operator.stop().await.unwrap();
    world
}

async fn a_deleted_undecodable_object_names_its_finalizer(world: World) -> World {
    world.install(&lax()).await;
    create(&world, "w", json!(1)).await;
    let operator = world.operator::<oddity>(());
    world.until::<Oddity>("w", "ready", is_ready).await;
    resize(&world, "w", json!({ "no": "number" })).await;
    let note = a_note(&world, "w", "is not reconciled until").await;
    assert!(note.ends_with("and its finalizer undecodable.tests.evenkeel.dev/tester remains"), "{note}");
    raw(&world).delete("w", &DeleteParams::default()).await.unwrap();
    let note = a_note(&world, "w", "is being deleted").await;
    let wanted = format!("kubectl edit oddities.undecodable.tests.evenkeel.dev -n {} w", world.namespace);
    assert!(note.contains("finalizer undecodable.tests.evenkeel.dev/tester remains: correct the field"), "{note}");
    assert!(note.ends_with(&wanted), "{note}");
    // After the correction it is cleaned up and deleted.
    resize(&world, "w", json!(2)).await;
    eventually(SOON, || async { raw(&world).get_opt("w").await.unwrap().is_none().then_some(()) }).await;
    operator.stop().await.unwrap();
    world
}
