//! Reconcilers of built-in kinds, whose objects have no status of ours.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Bare};
use evenkeel_testkit::{Row, Seed, eventually};
use evenkeel_tests::listener::{listening, objects};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(super) enum CopyCondition {
    /// The data is allowed.
    #[condition(positive)]
    Allowed,
    /// The Secret holds the data.
    #[condition(positive)]
    Copied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(super) enum CopyError {
    /// Stalled.
    #[error("the key `{0}` is not allowed")]
    #[class(stalled)]
    Forbidden(&'static str),
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
}

/// Checks the keys.
#[sub_reconciler(sets(on::Allowed))]
async fn check_keys(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, check_keys>) -> Result<(), CopyError> {
    lab.note(&format!("check {}", map.name_any()));
    let is_bad = map.data.iter().flatten().any(|(key, _)| key == "bad");
    if is_bad { Err(CopyError::Forbidden("bad")) } else { Ok(()) }
}

/// Copies the data to a Secret.
#[sub_reconciler(sets(on::Copied), owns(Secret))]
async fn copy(map: &Bare<ConfigMap>, cx: &mut Cx<'_, copy>) -> Result<(), CopyError> {
    let mut secret = Secret::default();
    secret.metadata.name = Some(format!("copy-of-{}", map.name_any()));
    secret.string_data.clone_from(&map.data);
    cx.apply(&secret).await?;
    Ok(())
}

#[reconciler(conditions = CopyCondition)]
pub(super) async fn copier(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    check_keys(map, lab, cx).await?;
    copy(map, cx).await?;
    Ok(())
}

#[derive(ConditionSet)]
#[condition_set(mod = is)]
enum RegisterCondition {
    /// The map is registered.
    #[condition(positive)]
    Registered,
}

/// Registers the map outside of the cluster.
#[sub_reconciler(sets(is::Registered), external)]
async fn register(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), CopyError> {
    lab.note(&format!("register {}", map.name_any()));
    Ok(())
}

/// Removes the registration.
#[cleanup(of = register)]
async fn unregister(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, register>) -> Result<(), CopyError> {
    lab.note(&format!("unregister {}", map.name_any()));
    Ok(())
}

#[reconciler(conditions = RegisterCondition, summary = "RegisterReady")]
async fn registrar(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    register(map, lab, cx).await?;
    Ok(())
}

pub(super) fn a_map(name: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

/// The times that this line was logged.
fn times(lab: &Lab, line: &str) -> usize {
    lab.log().iter().filter(|logged| *logged == line).count()
}

/// Waits until the Secret holds this text under the key `k`.
async fn copied(world: &World, text: &str) {
    let held = |secret: &Secret| secret.data.as_ref()?.get("k").map(|bytes| bytes.0.clone());
    eventually(SOON, || async {
        let secret = world.api::<Secret>().get_opt("copy-of-a").await.unwrap()?;
        (held(&secret)? == text.as_bytes()).then_some(())
    })
    .await;
}

async fn content_triggers_and_the_object_is_not_written(world: World) -> World {
    let lab = Lab::at("a");
    let running = world.operator::<copier>(lab.clone());
    world.create::<ConfigMap>(a_map("a", &json!({ "k": "one" }))).await;
    copied(&world, "one").await;
    world.merge::<ConfigMap>("a", json!({ "data": { "k": "two" } })).await;
    copied(&world, "two").await;
    world.quiet().await;
    assert_eq!(times(&lab, "check a"), 2, "one pass for each content: {:?}", lab.log());
    let map = world.raw::<ConfigMap>("a").await;
    let managers: Vec<&Value> = map["metadata"]["managedFields"].as_array().unwrap().iter().collect();
    assert!(managers.iter().all(|entry| !entry["manager"].as_str().unwrap().starts_with("tester/")), "{managers:?}");
    assert_eq!((&map["metadata"]["finalizers"], &map["status"]), (&Value::Null, &Value::Null));
    // An annotation of another client is an input of the steps; the same content again is none.
    world.merge::<ConfigMap>("a", json!({ "metadata": { "annotations": { "note": "1" } } })).await;
    eventually(SOON, || async { (times(&lab, "check a") == 3).then_some(()) }).await;
    running.stop().await.unwrap();
    world
}

async fn an_unchanged_object_costs_no_request(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({ "k": "one" }))).await;
    let running = world.operator::<copier>(lab.clone());
    copied(&world, "one").await;
    world.quiet().await;
    world.wire.clear();
    world.merge::<ConfigMap>("a", json!({ "metadata": { "finalizers": ["example.com/other"] } })).await;
    world.quiet().await;
    assert_eq!(world.wire.count(|call| !call.is_watch()), 0, "{:?}", world.wire.calls());
    assert_eq!(times(&lab, "check a"), 1);
    running.stop().await.unwrap();
    // The status was in memory, so each object is checked again; its Secret is unchanged.
    let running = world.operator::<copier>(lab.clone());
    eventually(SOON, || async { (times(&lab, "check a") == 2).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(world.wire.count(|call| call.is_write() && !call.is_event()), 1, "{:?}", world.wire.calls());
    running.stop().await.unwrap();
    world.merge::<ConfigMap>("a", json!({ "metadata": { "finalizers": null } })).await;
    world
}

async fn an_error_is_an_event_and_ends_with_the_next_content(world: World) -> World {
    let lab = Lab::at("a");
    let (operator, address) = listening(world.prepare::<copier>(lab.clone()));
    let running = Running::start(operator);
    world.create::<ConfigMap>(a_map("a", &json!({ "bad": "1" }))).await;
    eventually(SOON, || async { (!world.notes("a", "Forbidden").is_empty()).then_some(()) }).await;
    assert_eq!(world.notes("a", "Forbidden"), ["the key `bad` is not allowed"]);
    let shown = objects(address, "name=a").await;
    let condition = |shown: &Value, type_: &str| {
        let conditions = shown["conditions"].as_array().unwrap();
        conditions.iter().find(|condition| condition["type"] == type_).unwrap()["status"].clone()
    };
    assert_eq!([condition(&shown[0], "Ready"), condition(&shown[0], "Stalled")], ["False", "True"]);
    world.merge::<ConfigMap>("a", json!({ "data": { "bad": null, "k": "one" } })).await;
    copied(&world, "one").await;
    eventually(SOON, || async { (condition(&objects(address, "name=a").await[0], "Ready") == "True").then_some(()) })
        .await;
    running.stop().await.unwrap();
    world
}

async fn a_finalizer_holds_a_bare_object_until_its_cleanup(world: World) -> World {
    let lab = Lab::at("a");
    let operator = world.prepare::<copier>(lab.clone()).reconciler::<registrar>(lab.clone());
    let running = Running::start(operator);
    world.create::<ConfigMap>(a_map("a", &json!({ "k": "one" }))).await;
    eventually(SOON, || async { (times(&lab, "register a") == 1).then_some(()) }).await;
    let map = world.raw::<ConfigMap>("a").await;
    assert_eq!(map["metadata"]["finalizers"], json!(["core.kubernetes.io/tester-registrar"]));
    copied(&world, "one").await;
    world.quiet().await;
    assert_eq!((times(&lab, "register a"), times(&lab, "check a")), (1, 1), "{:?}", lab.log());
    world.delete::<ConfigMap>("a").await;
    world.until_gone::<ConfigMap>("a").await;
    assert_eq!(times(&lab, "unregister a"), 1);
    running.stop().await.unwrap();
    world
}

on_each_server!(
    content_triggers_and_the_object_is_not_written,
    an_unchanged_object_costs_no_request,
    an_error_is_an_event_and_ends_with_the_next_content,
    a_finalizer_holds_a_bare_object_until_its_cleanup,
);

#[test]
fn a_bare_kind_has_no_crd_and_no_rule_for_its_status() {
    let operator = evenkeel::Operator::new("tester").reconciler::<copier>(Lab::at("a"));
    assert!(operator.definitions().is_empty());
    let rules: Vec<String> = operator.rbac_rules().into_iter().map(|rule| rule.resource).collect();
    assert!(rules.contains(&"configmaps".to_owned()) && !rules.contains(&"configmaps/status".to_owned()), "{rules:?}");
}

#[tokio::test(start_paused = true)]
async fn a_row_runs_one_pass_of_a_bare_kind() {
    let row = Row::new("the data is copied").given(Seed::from(a_map("a", &json!({ "k": "one" }))));
    row.pass::<copier>(Lab::at("a")).await.expect(
        "
        writes:
        - patch secrets default/copy-of-a
        events: [Normal Succeeded]
        ",
    );
}
