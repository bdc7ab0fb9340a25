//! Events on dependents: what a step with the word `events` did to them.

use std::collections::BTreeMap;

use evenkeel::dependents::{Dependents, Policies};
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::on_each_server;
use evenkeel_tests::running::Running;
use evenkeel_tests::test_env::{SOON, Server, World};
use evenkeel_tests::widget::{condition, is_ready};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, DeleteParams, ListParams};
use kube::{CustomResource, CustomResourceExt, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::{ShopCondition, ShopError, named, on};

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Diary", namespaced, status = "DiaryStatus")]
pub(crate) struct DiarySpec {
    /// The config maps, with the value of their only key.
    #[serde(default)]
    pages: BTreeMap<String, String>,
    /// A secret of a step without the word.
    #[serde(default)]
    lock: Option<String>,
    #[serde(default)]
    policies: Option<Policies>,
}

#[status(dependents)]
pub(crate) struct DiaryStatus {}

#[sub_reconciler(
    sets(on::Applied),
    dependents(ConfigMap, events, empty = allow, reapply = "1h", policies = spec.policies)
)]
async fn write(diary: &Diary, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    for (name, text) in &diary.spec.pages {
        wanted.add::<ConfigMap>(&named(name, &json!({ "data": { "text": text } })));
    }
    Ok(cx.converge(wanted).await?)
}

#[sub_reconciler(sets(on::Healthy), dependents(Secret, empty = allow))]
async fn close(diary: &Diary, cx: &mut Cx) -> Result<Dependents, ShopError> {
    let mut wanted = cx.wanted();
    if let Some(lock) = &diary.spec.lock {
        wanted.add::<Secret>(&named("lock", &json!({ "stringData": { "number": lock } })));
    }
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = ShopCondition)]
pub(crate) async fn diary(diary: &Diary, cx: &mut Pass<'_>) -> PassResult {
    write(diary, cx).await?;
    close(diary, cx).await?;
    Ok(())
}

on_each_server!(
    each_change_is_an_event_on_the_dependent,
    a_correction_is_an_update_and_a_restart_is_none,
    an_object_that_is_taken_over_is_updated,
    a_replaced_object_is_updated_once,
    a_refused_call_has_no_event
);

async fn start(world: &World) -> Running {
    world.install(&Diary::crd()).await;
    world.operator::<diary>(())
}

async fn create(world: &World, spec: Value) {
    let diary =
        json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Diary", "metadata": { "name": "a" }, "spec": spec });
    world.create::<Diary>(diary).await;
}

/// The reasons of the events about an object, in order. An equal event is a patch of the one before.
fn events_about(world: &World, name: &str) -> Vec<String> {
    let sent = world.wire.calls().into_iter().filter(|call| call.is_event() && call.is_write());
    let bodies = sent.filter_map(|call| Some((call.path, serde_json::from_str::<Value>(&call.body).ok()?)));
    let about = bodies.filter(|(path, event)| {
        event["regarding"]["name"] == name
            || path.split('/').next_back().is_some_and(|last| last.starts_with(&format!("{name}.")))
    });
    about.filter_map(|(_, event)| event["reason"].as_str().map(ToOwned::to_owned)).collect()
}

/// Waits until the events about an object are these.
async fn until_events(world: &World, name: &str, reasons: &[&str]) {
    eventually(SOON, || async { (events_about(world, name) == reasons).then_some(()) }).await;
}

async fn until_changed(world: &World, text: &str) {
    let has = || async {
        let page = world.api::<ConfigMap>().get_opt("one").await.unwrap()?;
        (page.data?.get("text")? == text).then_some(())
    };
    eventually(SOON, has).await;
}

async fn each_change_is_an_event_on_the_dependent(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1", "two": "2" }, "lock": "7" })).await;
    let diary = world.until::<Diary>("a", "ready", is_ready).await;
    until_events(&world, "one", &["Created"]).await;
    until_events(&world, "two", &["Created"]).await;
    let one = world.api::<ConfigMap>().get("one").await.unwrap();
    let event = &world.sent("one", "Created")[0];
    let about = json!({ "apiVersion": "v1", "kind": "ConfigMap", "namespace": world.namespace, "name": "one", "uid": one.uid() });
    assert_eq!(event["regarding"], about);
    let related = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Diary", "namespace": world.namespace, "name": "a",
        "uid": diary["metadata"]["uid"] });
    assert_eq!(event["related"], related);
    assert_eq!((&event["type"], &event["reportingController"]), (&json!("Normal"), &json!("tester")));
    assert_eq!(event["note"], format!("Created by the step write of Diary {}/a", world.namespace));
    // The server has it, in the namespace of the dependent.
    let is_stored = || async {
        let stored = world.api::<Event>().list(&ListParams::default()).await.unwrap().items;
        let of_one = |event: &&Event| event.regarding.as_ref().is_some_and(|of| of.name.as_deref() == Some("one"));
        (stored.iter().filter(of_one).count() == 1).then_some(())
    };
    eventually(SOON, is_stored).await;
    world.merge::<Diary>("a", json!({ "spec": { "pages": { "one": "3" }, "lock": "8" } })).await;
    until_events(&world, "one", &["Created", "Updated"]).await;
    world.merge::<Diary>("a", json!({ "spec": { "pages": { "two": null } } })).await;
    until_events(&world, "two", &["Created", "Deleted"]).await;
    assert!(world.events_sent("Deleted") == 1 && events_about(&world, "one") == ["Created", "Updated"]);
    // The end of the component, too.
    world.delete::<Diary>("a").await;
    world.until_gone::<Diary>("a").await;
    until_events(&world, "one", &["Created", "Updated", "Deleted"]).await;
    assert!(events_about(&world, "lock").is_empty(), "its step has no word: {:?}", events_about(&world, "lock"));
    operator.stop().await.unwrap();
    world
}

async fn a_correction_is_an_update_and_a_restart_is_none(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1" } })).await;
    world.until::<Diary>("a", "ready", is_ready).await;
    until_events(&world, "one", &["Created"]).await;
    world.merge::<ConfigMap>("one", json!({ "data": { "text": "x" } })).await;
    until_changed(&world, "1").await;
    until_events(&world, "one", &["Created", "Updated"]).await;
    operator.stop().await.unwrap();
    let operator = world.operator::<diary>(());
    world.quiet().await;
    assert_eq!(events_about(&world, "one"), ["Created", "Updated"]);
    operator.stop().await.unwrap();
    world
}

async fn an_object_that_is_taken_over_is_updated(world: World) -> World {
    let page =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "one" }, "data": { "text": "0" } });
    world.create::<ConfigMap>(page).await;
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1" } })).await;
    world.until::<Diary>("a", "ready", is_ready).await;
    until_events(&world, "one", &["Updated"]).await;
    // An orphan stays, so it has no event.
    world.merge::<Diary>("a", json!({ "spec": { "policies": { "delete": "orphan" } } })).await;
    until_events(&world, "one", &["Updated", "Updated"]).await;
    world.delete::<Diary>("a").await;
    world.until_gone::<Diary>("a").await;
    world.quiet().await;
    assert_eq!(events_about(&world, "one"), ["Updated", "Updated"]);
    operator.stop().await.unwrap();
    world
}

async fn a_replaced_object_is_updated_once(world: World) -> World {
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1" }, "policies": { "update": "replace" } })).await;
    world.until::<Diary>("a", "ready", is_ready).await;
    world.merge::<Diary>("a", json!({ "spec": { "pages": { "one": "2" } } })).await;
    until_changed(&world, "2").await;
    until_events(&world, "one", &["Created", "Updated"]).await;
    // A new object of the name is created, after the deletion.
    let recreate = json!({ "spec": { "pages": { "one": "3" }, "policies": { "update": "recreate" } } });
    world.merge::<Diary>("a", recreate).await;
    until_events(&world, "one", &["Created", "Updated", "Deleted", "Created"]).await;
    operator.stop().await.unwrap();
    world
}

async fn a_refused_call_has_no_event(world: World) -> World {
    let metadata = json!({ "name": "one", "annotations": { "meta.helm.sh/release-name": "web" } });
    world.create::<ConfigMap>(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })).await;
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1", "two": "2" } })).await;
    let is_foreign = |diary: &Value| condition(diary, "Applied").is_some_and(|one| one["reason"] == "DependentForeign");
    world.until::<Diary>("a", "foreign", is_foreign).await;
    until_events(&world, "two", &["Created"]).await;
    world.quiet().await;
    assert!(events_about(&world, "one").is_empty(), "{:?}", events_about(&world, "one"));
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn an_apply_that_changes_nothing_has_no_event() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1" } })).await;
    world.until::<Diary>("a", "ready", is_ready).await;
    until_events(&world, "one", &["Created"]).await;
    world.wire.clear();
    tokio::time::sleep(std::time::Duration::from_secs(3 * 3600)).await;
    let applied = super::shop::calls(&world).iter().filter(|call| *call == "PATCH configmaps/one").count();
    assert!(applied >= 2, "it is applied again each hour: {applied}");
    assert!(events_about(&world, "one").is_empty(), "{:?}", events_about(&world, "one"));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_in_an_ending_namespace_is_dropped_quietly() {
    let world = World::on(Server::InProcess).await.unwrap();
    let (logs, _capturing) = Logs::capture();
    let operator = start(&world).await;
    create(&world, json!({ "pages": { "one": "1" } })).await;
    world.until::<Diary>("a", "ready", is_ready).await;
    until_events(&world, "one", &["Created"]).await;
    let namespaces = Api::<Namespace>::all(world.client.clone());
    namespaces.delete(&world.namespace, &DeleteParams::default()).await.unwrap();
    world.until_gone::<Diary>("a").await;
    world.quiet().await;
    assert_eq!(logs.with(&["DEBUG", "the event is dropped", "Deleting"]).len(), 1);
    assert!(logs.with(&["the event was not recorded"]).is_empty());
    operator.stop().await.unwrap();
}
