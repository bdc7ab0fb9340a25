//! Selections that meet what they should not: each other, and a namespace that is being deleted.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Bare};
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::Lab;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = left)]
enum LeftCondition {
    #[condition(positive)]
    LeftSeen,
}

#[derive(ConditionSet)]
#[condition_set(mod = right)]
enum RightCondition {
    #[condition(positive)]
    RightSeen,
}

#[sub_reconciler(sets(left::LeftSeen), external)]
async fn see_left(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ApiError> {
    lab.note(&format!("left {}", map.name_any()));
    Ok(())
}

#[cleanup(of = see_left)]
async fn forget_left(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, see_left>) -> Result<(), ApiError> {
    lab.note(&format!("left forgets {}", map.name_any()));
    Ok(())
}

#[sub_reconciler(sets(right::RightSeen), external)]
async fn see_right(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ApiError> {
    lab.note(&format!("right {}", map.name_any()));
    Ok(())
}

#[cleanup(of = see_right)]
async fn forget_right(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx<'_, see_right>) -> Result<(), ApiError> {
    lab.note(&format!("right forgets {}", map.name_any()));
    Ok(())
}

#[reconciler(conditions = LeftCondition, labels = "left=yes")]
async fn left_maps(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_left(map, lab, cx).await?;
    Ok(())
}

#[reconciler(conditions = RightCondition, labels = "right=yes", summary = "RightReady")]
async fn right_maps(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_right(map, lab, cx).await?;
    Ok(())
}

#[reconciler(conditions = RightCondition, labels = "right=yes")]
async fn nameless(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_right(map, lab, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(right::RightSeen))]
async fn see_other(map: &Bare<ConfigMap>, lab: &Arc<Lab>, _cx: &mut Cx) -> Result<(), ApiError> {
    lab.note(&format!("other {}", map.name_any()));
    Ok(())
}

#[reconciler(conditions = RightCondition, labels = "other=yes", summary = "OtherReady")]
async fn other_maps(map: &Bare<ConfigMap>, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    see_other(map, lab, cx).await?;
    Ok(())
}

fn a_map(name: &str, labels: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "labels": labels } })
}

async fn logged(world: &World, lab: &Lab, wanted: &[&str]) {
    let sorted = || {
        let mut log = lab.log();
        log.sort();
        log
    };
    let mut wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    wanted.sort();
    eventually(SOON, || async { (sorted().len() >= wanted.len()).then_some(()) }).await;
    world.quiet().await;
    assert_eq!(sorted(), wanted);
}

async fn an_object_of_two_selections_has_two_independent_reconcilers(world: World) -> World {
    let lab = Lab::at("a");
    let operator = world.prepare::<left_maps>(lab.clone()).reconciler::<right_maps>(lab.clone());
    let running = Running::start(operator);
    world.create::<ConfigMap>(a_map("both", &json!({ "left": "yes", "right": "yes" }))).await;
    world.create::<ConfigMap>(a_map("one", &json!({ "right": "yes" }))).await;
    logged(&world, &lab, &["left both", "right both", "right one"]).await;
    let finalizers = world.raw::<ConfigMap>("both").await["metadata"]["finalizers"].clone();
    assert_eq!(finalizers.as_array().unwrap().len(), 2, "each has its own: {finalizers}");
    world.delete::<ConfigMap>("both").await;
    world.until_gone::<ConfigMap>("both").await;
    let forgotten = ["left forgets both", "right forgets both"];
    assert!(forgotten.iter().all(|line| lab.log().contains(&(*line).to_owned())), "{:?}", lab.log());
    world.delete::<ConfigMap>("one").await;
    world.until_gone::<ConfigMap>("one").await;
    running.stop().await.unwrap();
    world
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum SpreadCondition {
    /// The copy is in the other namespace.
    #[condition(positive)]
    Spread,
}

/// Copies the map into the namespace that its data names.
#[sub_reconciler(sets(on::Spread), owns(ConfigMap, namespaces = any))]
async fn spread(map: &Bare<ConfigMap>, cx: &mut Cx) -> Result<(), ApiError> {
    let target = map.data.as_ref().and_then(|data| data.get("into")).cloned().unwrap_or_default();
    let mut copy = ConfigMap::default();
    copy.meta_mut().name = Some(format!("copy-of-{}", map.name_any()));
    cx.apply_in(&target, &copy).await.map(drop)
}

#[reconciler(conditions = SpreadCondition, labels = "spread=yes")]
async fn spreader(map: &Bare<ConfigMap>, cx: &mut Pass<'_>) -> PassResult {
    spread(map, cx).await?;
    Ok(())
}

async fn a_namespace_that_is_being_deleted_stops_only_its_copies(world: World) -> World {
    let other = world.another_namespace().await;
    let inside = Api::<ConfigMap>::namespaced(world.client.clone(), &other);
    let held = json!({ "metadata": { "name": "held", "finalizers": ["tests.evenkeel.dev/held"] } });
    inside.create(&PostParams::default(), &serde_json::from_value(held).unwrap()).await.unwrap();
    let namespaces = Api::<Namespace>::all(world.client.clone());
    // On a server that deletes namespaces at once, a finalizer keeps it.
    let keep = Patch::Merge(json!({ "metadata": { "finalizers": ["tests.evenkeel.dev/held"] } }));
    namespaces.patch(&other, &PatchParams::default(), &keep).await.unwrap();
    namespaces.delete(&other, &DeleteParams::default()).await.unwrap();
    let running = Running::start(world.prepare_in::<spreader>(&[&world.namespace, &other], ()));
    for (name, target) in [("a", &other), ("b", &world.namespace)] {
        let mut map = a_map(name, &json!({ "spread": "yes" }));
        map["data"] = json!({ "into": target });
        world.create::<ConfigMap>(map).await;
    }
    eventually(SOON, || async { world.api::<ConfigMap>().get_opt("copy-of-b").await.unwrap() }).await;
    let note = eventually(SOON, || async { world.notes("a", "Forbidden").into_iter().next() }).await;
    assert!(note.contains("because it is being terminated"), "{note}");
    world.quiet().await;
    let tried = world.wire.count(|call| call.is_write() && call.path.ends_with("/copy-of-a"));
    assert!((1..10).contains(&tried), "no hot loop: {tried}");
    running.stop().await.unwrap();
    let free = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    inside.patch("held", &PatchParams::default(), &free).await.unwrap();
    namespaces.patch(&other, &PatchParams::default(), &free).await.unwrap();
    for name in ["a", "b"] {
        world.api::<ConfigMap>().patch(name, &PatchParams::default(), &free).await.unwrap();
    }
    world
}

on_each_server!(
    an_object_of_two_selections_has_two_independent_reconcilers,
    a_namespace_that_is_being_deleted_stops_only_its_copies,
    the_selector_of_the_operator_adds_to_that_of_its_reconcilers,
);

async fn the_selector_of_the_operator_adds_to_that_of_its_reconcilers(world: World) -> World {
    let lab = Lab::at("a");
    let operator = world.prepare::<left_maps>(lab.clone()).reconciler::<other_maps>(lab.clone());
    let running = Running::start(operator.label_selector("team in (a, b)"));
    for (name, labels) in [
        ("both", json!({ "left": "yes", "team": "a" })),
        ("left", json!({ "left": "yes", "team": "c" })),
        ("team", json!({ "other": "yes", "team": "b" })),
        ("none", json!({ "other": "yes" })),
    ] {
        world.create::<ConfigMap>(a_map(name, &labels)).await;
    }
    logged(&world, &lab, &["left both", "other team"]).await;
    // The API server selects, unless a cleanup needs the objects that have left the selection.
    let watches = world.wire.calls().into_iter().filter(|call| call.path.ends_with("/configmaps") && call.is_watch());
    let selected = watches.filter(|call| call.query.contains("labelSelector=other%3Dyes%2Cteam+in+%28a%2C+b%29"));
    assert!(selected.count() > 0, "{:?}", world.wire.calls());
    world.delete::<ConfigMap>("both").await;
    world.until_gone::<ConfigMap>("both").await;
    running.stop().await.unwrap();
    world
}

#[tokio::test]
async fn a_label_selector_that_does_not_parse_is_refused() {
    let operator = Operator::new("tester").reconciler::<left_maps>(Lab::at("a")).label_selector("team=a,,tier");
    let error = operator.run_until(std::future::ready(())).await.unwrap_err().to_string();
    assert!(error.contains("the label selector has the invalid requirement ``"), "{error}");
}

#[tokio::test]
async fn two_selections_of_one_kind_need_a_summary() {
    let lab = Lab::at("a");
    let operator = Operator::new("tester").reconciler::<left_maps>(lab.clone()).reconciler::<nameless>(lab);
    let error = operator.run_until(std::future::ready(())).await.unwrap_err().to_string();
    assert!(error.contains("both reconcile ConfigMap") && error.contains("`summary = "), "{error}");
}
