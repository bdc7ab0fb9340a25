//! Lists from the cache: objects selected by a label, and the names of owned objects.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Effect, Fault, Verb, eventually};
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;
use tokio::time::sleep;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum ListingCondition {
    /// What was selected was looked at.
    #[condition(positive)]
    Listed,
}

/// Lists the selected objects and applies a ConfigMap for each name in `child`; names that start with `y` are selected themselves.
#[sub_reconciler(sets(on::Listed), watches(ConfigMap, labels = "look=yes"), owns(ConfigMap))]
async fn list(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, list>) -> Result<(), WidgetError> {
    let before = names(&cx.list::<ConfigMap>().await?);
    let wanted: Vec<&str> = widget.spec.child.iter().flat_map(|names| names.split(',')).collect();
    for name in cx.owned::<ConfigMap>().await? {
        if !wanted.contains(&&*name) {
            cx.delete::<ConfigMap>(&name).await?;
        }
    }
    for name in wanted {
        cx.apply(&a_map(name, if name.starts_with('y') { "yes" } else { "no" })).await?;
    }
    let (after, owned) = (names(&cx.list::<ConfigMap>().await?), cx.owned::<ConfigMap>().await?.join(","));
    lab.note(&format!("{before} > {after} owns {owned}"));
    Ok(())
}

#[reconciler(conditions = ListingCondition, requeue = "30d")]
async fn lister(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    list(widget, lab, cx).await?;
    Ok(())
}

fn names(maps: &[ConfigMap]) -> String {
    maps.iter().map(ResourceExt::name_any).collect::<Vec<_>>().join(",")
}

fn a_map(name: &str, look: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name, "labels": { "look": look } } })).unwrap()
}

async fn create(world: &World, name: &str, look: &str) {
    world.api::<ConfigMap>().create(&PostParams::default(), &a_map(name, look)).await.unwrap();
}

async fn label(world: &World, name: &str, look: &str) {
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "look": look } } }));
    world.api::<ConfigMap>().patch(name, &PatchParams::default(), &patch).await.unwrap();
}

async fn started(world: &World, lab: &Arc<Lab>) -> Running {
    let operator = world.operator::<lister>(lab.clone());
    world.until::<Widget>("w", "ready", is_ready).await;
    operator
}

async fn until_logged(lab: &Lab, line: &str) {
    let last = || async { (lab.log().last().map(String::as_str) == Some(line)).then_some(()) };
    eventually(SOON, last).await;
}

on_each_server!(a_list_holds_matching_objects_and_follows_changes, list_changes_are_found_after_a_restart);

async fn a_list_holds_matching_objects_and_follows_changes(world: World) -> World {
    world.install(&definition()).await;
    create(&world, "a", "yes").await;
    create(&world, "b", "no").await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    let operator = started(&world, &lab).await;
    assert_eq!(lab.log(), ["a > a owns "]);
    create(&world, "c", "yes").await;
    until_logged(&lab, "a,c > a,c owns ").await;
    label(&world, "a", "no").await;
    until_logged(&lab, "c > c owns ").await;
    world.api::<ConfigMap>().delete("c", &DeleteParams::default()).await.unwrap();
    until_logged(&lab, " >  owns ").await;
    let passes = lab.log().len();
    label(&world, "b", "never").await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(lab.log().len(), passes, "it is not among them");
    operator.stop().await.unwrap();
    world
}

async fn list_changes_are_found_after_a_restart(world: World) -> World {
    world.install(&definition()).await;
    create(&world, "a", "yes").await;
    world.create::<Widget>(a_widget("w", json!({}))).await;
    let lab = Lab::at("a");
    started(&world, &lab).await.stop().await.unwrap();
    let operator = started(&world, &lab).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(lab.log(), ["a > a owns "], "nothing has changed");
    operator.stop().await.unwrap();
    create(&world, "c", "yes").await;
    let operator = started(&world, &lab).await;
    until_logged(&lab, "a,c > a,c owns ").await;
    operator.stop().await.unwrap();
    world
}

/// Changes the children, and returns the lists of the passes and how often ConfigMaps were listed at the end.
async fn children(lag: Option<Duration>) -> (Vec<String>, usize) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let slow = |lag| Fault::new(Effect::Latency(lag)).resource("configmaps").verb(Verb::Watch).always();
    lag.into_iter().for_each(|lag| world.cluster().faults().add(slow(lag)));
    let lab = Lab::at("a");
    // In pages, so that the list itself does not lag.
    let operator = Running::start(world.prepare::<lister>(lab.clone()).paged_lists());
    world.create::<Widget>(a_widget("w", json!({ "child": "x,y" }))).await;
    for child in ["y,yy", "x", "x"] {
        sleep(Duration::from_secs(5)).await;
        world.merge::<Widget>("w", json!({ "spec": { "child": child } })).await;
    }
    sleep(Duration::from_secs(5)).await;
    let log = lab.log();
    world.cluster().log().clear();
    world.merge::<Widget>("w", json!({ "metadata": { "labels": { "a": "b" } } })).await;
    sleep(Duration::from_secs(5)).await;
    let lists = world.cluster().log().count(|entry| entry.resource == "configmaps" && entry.verb == Verb::List);
    operator.stop().await.unwrap();
    (log, lists)
}

#[tokio::test(start_paused = true)]
async fn a_list_shows_own_writes_and_stale_children() {
    let (log, lists) = children(None).await;
    let first = [" > y owns x,y", "y > y,yy owns y,yy", "y,yy >  owns x"];
    for line in first {
        assert!(log.iter().any(|logged| logged == line), "{line}: {log:?}");
    }
    assert_eq!(lists, 0, "the cache answers");
}

#[tokio::test(start_paused = true)]
async fn own_writes_are_listed_while_the_watch_lags() {
    let (log, _) = children(Some(Duration::from_secs(600))).await;
    assert_eq!(log, [" > y owns x,y", "y > y,yy owns y,yy", "y,yy >  owns x"]);
}
