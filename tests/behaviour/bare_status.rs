//! The status of a kind without one of ours, stored in its objects: a record in an annotation, and conditions under a domain.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::wiring::KindInfo;
use evenkeel::{Bare, Dynamic};
use evenkeel_testkit::eventually;
use evenkeel_tests::listener::{listening, objects};
use evenkeel_tests::on_each_server;
use evenkeel_tests::pod::a_pod;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::ResourceExt;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

/// Where the record is: the field manager is `tester/keeper`.
const RECORD: &str = "evenkeel.dev/observed-by-tester.keeper";

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum LookCondition {
    /// The object was looked at.
    #[condition(positive)]
    Looked,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum LookError {
    #[error("the key `bad` is not allowed")]
    #[class(stalled)]
    Forbidden,
    #[error("not now")]
    #[class(transient)]
    Later,
}

#[sub_reconciler(sets(on::Looked))]
async fn look(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), LookError> {
    lab.note(&map.name_any());
    let has = |name: &str| map.data.iter().flatten().any(|(key, _)| key == name);
    match () {
        () if has("bad") => Err(LookError::Forbidden),
        () if has("later") => Err(LookError::Later),
        () => Ok(()),
    }
}

#[reconciler(conditions = LookCondition, bare_status(annotation), labels = "look=yes")]
async fn keeper(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(map, lab, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Looked))]
async fn watch_pod(pod: &Bare<Pod>, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), LookError> {
    lab.note(&pod.name_any());
    if pod.labels().contains_key("bad") { Err(LookError::Forbidden) } else { Ok(()) }
}

#[reconciler(conditions = LookCondition, bare_status(conditions = "look.example.com"))]
async fn pods(pod: &Bare<Pod>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    watch_pod(pod, lab, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Looked))]
async fn see(object: &Dynamic, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), LookError> {
    lab.note(&object.name_any());
    Ok(())
}

#[reconciler(conditions = LookCondition, bare_status(conditions = "look.example.com"), labels = "look=yes")]
async fn anything(object: &Dynamic, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see(object, lab, cx).await?;
    Ok(())
}

fn a_map(name: &str, data: &Value) -> Value {
    let metadata = json!({ "name": name, "labels": { "look": "yes" } });
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data })
}

async fn looked(world: &World, lab: &Lab, times: usize) {
    eventually(SOON, || async { (lab.log().len() == times).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(lab.log().len(), times, "{:?}", lab.log());
}

/// The record of the object, if it has one.
fn record(object: &Value) -> Option<Value> {
    Some(serde_json::from_str(object["metadata"]["annotations"][RECORD].as_str()?).unwrap())
}

async fn a_stored_status_survives_a_restart_without_a_pass(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({ "k": "one" }))).await;
    let running = world.operator::<keeper>(lab.clone());
    let stored = world.until::<ConfigMap>("a", "recorded", |map| record(map).is_some()).await;
    looked(&world, &lab, 1).await;
    running.stop().await.unwrap();
    let managers = stored["metadata"]["managedFields"].as_array().unwrap();
    let ours = managers.iter().find(|entry| entry["manager"] == "tester/keeper").unwrap();
    assert_eq!(ours["fieldsV1"]["f:metadata"]["f:annotations"][format!("f:{RECORD}")], json!({}));
    world.wire.clear();
    let (operator, address) = listening(world.prepare::<keeper>(lab.clone()));
    let running = Running::start(operator);
    let ready = |shown: &[Value]| {
        let conditions = shown.first()?["conditions"].as_array()?;
        conditions.iter().find(|condition| condition["type"] == "Ready").map(|ready| ready["status"].clone())
    };
    eventually(SOON, || async { (ready(&objects(address, "name=a").await)? == "True").then_some(()) }).await;
    looked(&world, &lab, 1).await;
    assert_eq!(world.wire.count(|call| !call.is_list() && !call.is_watch()), 0, "{:?}", world.wire.calls());
    running.stop().await.unwrap();
    world.merge::<ConfigMap>("a", json!({ "data": { "k": "two" } })).await;
    let running = world.operator::<keeper>(lab.clone());
    looked(&world, &lab, 2).await;
    running.stop().await.unwrap();
    world
}

async fn a_copied_record_does_not_count(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({ "k": "one" }))).await;
    let running = world.operator::<keeper>(lab.clone());
    let stored = world.until::<ConfigMap>("a", "recorded", |map| record(map).is_some()).await;
    let mut copy = a_map("b", &json!({ "k": "one" }));
    copy["metadata"]["annotations"] = stored["metadata"]["annotations"].clone();
    world.create::<ConfigMap>(copy).await;
    looked(&world, &lab, 2).await;
    let other = world.until::<ConfigMap>("b", "recorded", |map| record(map) != record(&stored)).await;
    assert_eq!(record(&other).unwrap()["uid"], other["metadata"]["uid"]);
    running.stop().await.unwrap();
    world
}

async fn only_a_success_is_recorded(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({ "bad": "1" }))).await;
    let running = world.operator::<keeper>(lab.clone());
    eventually(SOON, || async { (!world.notes("a", "Forbidden").is_empty()).then_some(()) }).await;
    world.merge::<ConfigMap>("a", json!({ "data": { "bad": null, "later": "1" } })).await;
    eventually(SOON, || async { (!world.notes("a", "Later").is_empty()).then_some(()) }).await;
    assert_eq!(record(&world.raw::<ConfigMap>("a").await), None);
    assert_eq!(world.wire.count(|call| call.is_write() && !call.is_event()), 0, "{:?}", world.wire.calls());
    world.merge::<ConfigMap>("a", json!({ "data": { "later": null } })).await;
    let stored = world.until::<ConfigMap>("a", "recorded", |map| record(map).is_some()).await;
    let conditions = record(&stored).unwrap()["status"]["conditions"].clone();
    assert_eq!((&conditions[0]["type"], &conditions[0]["status"]), (&json!("Ready"), &json!("True")));
    running.stop().await.unwrap();
    world
}

/// The conditions of the Pod as `type=status`.
fn conditions(pod: &Value) -> Vec<String> {
    let shown = |c: &Value| format!("{}={}", c["type"].as_str().unwrap(), c["status"].as_str().unwrap());
    pod["status"]["conditions"].as_array().into_iter().flatten().map(shown).collect()
}

async fn set_condition(world: &World, name: &str, status: &str) {
    let theirs = json!({ "type": "Ready", "status": status });
    let patch = json!({ "status": { "conditions": [theirs] } });
    let params = PatchParams { field_manager: Some("kubelet".to_owned()), ..PatchParams::default() };
    world.api::<Pod>().patch_status(name, &params, &Patch::Strategic(patch)).await.unwrap();
}

async fn conditions_are_added_beside_those_of_other_writers(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<Pod>(a_pod("p")).await;
    set_condition(&world, "p", "False").await;
    let running = world.operator::<pods>(lab.clone());
    let ours = |status: &str| format!("look.example.com/Ready={status}");
    let pod = world.until::<Pod>("p", "ours", |pod| conditions(pod).contains(&ours("True"))).await;
    assert_eq!(conditions(&pod), ["Ready=False", "look.example.com/Ready=True", "look.example.com/Looked=True"]);
    let status = pod["status"].as_object().unwrap();
    assert!(!status.contains_key("observedGeneration"), "{status:?}");
    looked(&world, &lab, 1).await;
    // A restart finds the conditions as they must be.
    running.stop().await.unwrap();
    world.wire.clear();
    let running = world.operator::<pods>(lab.clone());
    looked(&world, &lab, 2).await;
    assert_eq!(world.wire.count(Call::is_status_write), 0, "{:?}", world.wire.calls());
    // A condition of another writer is content.
    set_condition(&world, "p", "True").await;
    looked(&world, &lab, 3).await;
    let pod = world.raw::<Pod>("p").await;
    assert_eq!(conditions(&pod), ["Ready=True", "look.example.com/Ready=True", "look.example.com/Looked=True"]);
    world.merge::<Pod>("p", json!({ "metadata": { "labels": { "bad": "1" } } })).await;
    let pod = world.until::<Pod>("p", "failed", |pod| conditions(pod).contains(&ours("False"))).await;
    let stalled = "look.example.com/Stalled=True".to_owned();
    assert!(conditions(&pod).contains(&stalled) && conditions(&pod)[0] == "Ready=True", "{:?}", conditions(&pod));
    running.stop().await.unwrap();
    world
}

async fn a_kind_without_conditions_is_reported_once(world: World) -> World {
    let lab = Lab::at("a");
    world.create::<ConfigMap>(a_map("a", &json!({}))).await;
    let operator = Operator::new("tester").client(world.wire.client(&world.client)).namespaces([&*world.namespace]);
    let kind = KindInfo::of::<ConfigMap>();
    let running = Running::start(operator.dynamic_reconciler::<anything>(kind, lab.clone()));
    eventually(SOON, || async { (!world.notes("a", "StatusNotWritten").is_empty()).then_some(()) }).await;
    looked(&world, &lab, 1).await;
    let notes = world.notes("a", "StatusNotWritten");
    assert!(notes.len() == 1 && notes[0].contains("the kind ConfigMap has no conditions"), "{notes:?}");
    assert!(world.wire.count(Call::is_status_write) < 5, "no hot loop: {:?}", world.wire.calls());
    running.stop().await.unwrap();
    world
}

on_each_server!(
    a_stored_status_survives_a_restart_without_a_pass,
    a_copied_record_does_not_count,
    only_a_success_is_recorded,
    conditions_are_added_beside_those_of_other_writers,
    a_kind_without_conditions_is_reported_once,
);

#[reconciler(conditions = LookCondition, labels = "look=yes")]
async fn forgetful(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(map, lab, cx).await?;
    Ok(())
}

/// The number of objects behind the figures.
const OBJECTS: usize = 300;

/// The lists, the other reads, the writes except events, and the passes of the steps since the last row, for all objects.
struct Counter<'w> {
    world: &'w World,
    lab: Arc<Lab>,
    passes: usize,
    rows: Vec<(&'static str, [usize; 4])>,
}

impl Counter<'_> {
    async fn row(&mut self, what: &'static str) {
        tokio::time::sleep(Duration::from_secs(20)).await;
        let wire = &self.world.wire;
        // A watch that ends without an event asks once for the current version, by a list of one object.
        let is_list =
            |call: &Call| call.is_list() && !call.query.contains("limit=1&") && !call.query.ends_with("limit=1");
        let lists = wire.count(is_list);
        let reads = wire.count(|call| !call.is_write() && !is_list(call) && !call.is_watch());
        let writes = wire.count(|call| call.is_write() && !call.is_event());
        let passes = self.lab.log().len();
        self.rows.push((what, [lists, reads, writes, passes - self.passes]));
        self.passes = passes;
        wire.clear();
    }
}

/// Counts the life of the objects with this reconciler.
async fn life<R>(world: &World) -> Vec<(&'static str, [usize; 4])>
where
    R: evenkeel::Reconciler<Object = Bare<ConfigMap>, Deps = Arc<Lab>>,
{
    let lab = Lab::at("a");
    let mut counter = Counter { world, lab: lab.clone(), passes: 0, rows: Vec::new() };
    let running = world.operator::<R>(lab.clone());
    counter.row("start").await;
    let names: Vec<String> = (0..OBJECTS).map(|i| format!("m{i}")).collect();
    for name in &names {
        world.create::<ConfigMap>(a_map(name, &json!({ "k": "one" }))).await;
    }
    counter.row("creation").await;
    for name in &names {
        world.merge::<ConfigMap>(name, json!({ "metadata": { "finalizers": ["example.com/other"] } })).await;
    }
    counter.row("event that changes no input").await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    counter.row("an hour without changes").await;
    running.stop().await.unwrap();
    let running = world.operator::<R>(lab.clone());
    counter.row("restart").await;
    running.stop().await.unwrap();
    counter.rows.remove(0);
    counter.rows
}

/// The figures of kinds without a status of ours, for the guide.
#[tokio::test(start_paused = true)]
async fn an_unchanged_bare_object_costs_nothing_and_a_restart_only_a_list() {
    let mut text = format!(
        "Requests for {OBJECTS} ConfigMaps, which have no status of the program, and how often the steps ran. Events are not counted.\n\n\
         | `bare_status` | what | lists | other reads | writes | passes |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    );
    for (stored, name) in [(false, "not given"), (true, "`annotation`")] {
        let world = World::on(Server::InProcess).await.unwrap();
        let rows = if stored { life::<keeper>(&world).await } else { life::<forgetful>(&world).await };
        let expected = if stored {
            [[0, 0, OBJECTS, OBJECTS], [0; 4], [0, 1, 0, 0], [1, 0, 0, 0]]
        } else {
            [[0, 0, 0, OBJECTS], [0; 4], [0, 1, 0, 0], [1, 0, 0, OBJECTS]]
        };
        assert_eq!(rows.iter().map(|row| row.1).collect::<Vec<_>>(), expected, "{name}");
        for (what, [lists, reads, writes, passes]) in rows {
            text += &format!("| {name} | {what} | {lists} | {reads} | {writes} | {passes} |\n");
        }
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/src/guide/figures/bare.md");
    evenkeel_testkit::assert_generated(page, &text);
}

#[test]
fn conditions_need_a_rule_for_the_status() {
    let rules = |operator: Operator| operator.rbac_rules().into_iter().map(|rule| rule.resource).collect::<Vec<_>>();
    assert!(rules(Operator::new("t").reconciler::<pods>(Lab::at("a"))).contains(&"pods/status".to_owned()));
    let without = rules(Operator::new("t").reconciler::<keeper>(Lab::at("a")));
    assert!(!without.contains(&"configmaps/status".to_owned()), "{without:?}");
}
