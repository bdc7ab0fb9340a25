//! Objects found by an index: what a step is given, and what wakes it.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Index;
use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};
use tokio::time::sleep;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum IndexCondition {
    /// The maps of a user were looked at.
    #[condition(positive)]
    Found,
}

/// Maps by the users that they are for.
struct ByUser;

impl Index for ByUser {
    const NAME: &'static str = "by-user";
    type Object = ConfigMap;

    fn keys(map: &ConfigMap) -> Vec<String> {
        let users = map.data.iter().flatten().find(|(key, _)| *key == "users");
        let users = users.map_or("", |(_, users)| users.as_str());
        assert!(users != "nobody", "a map for nobody");
        users.split(',').map(ToOwned::to_owned).collect()
    }
}

/// Finds the maps of the user that the widget names.
#[sub_reconciler(sets(on::Found), watches(ConfigMap, labels = "look=yes", index = ByUser))]
async fn find(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let user = widget.spec.fetch.clone().unwrap_or_default();
    let found: Vec<String> = cx.indexed(ByUser, &user).await?.iter().map(ResourceExt::name_any).collect();
    lab.note(&format!("{user}: {}", found.join(",")));
    Ok(())
}

#[reconciler(conditions = IndexCondition)]
async fn finder(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    find(widget, lab, cx).await?;
    Ok(())
}

fn a_map(name: &str, users: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "look": "yes" } }, "data": { "users": users } })
}

async fn change(world: &World, name: &str, users: &str) {
    world.merge::<ConfigMap>(name, json!({ "data": { "users": users } })).await;
}

async fn started(world: &World, lab: &Arc<Lab>) -> Running {
    let operator = world.operator::<finder>(lab.clone());
    for widget in ["one", "two"] {
        world.until::<Widget>(widget, "ready", is_ready).await;
    }
    operator
}

/// The widgets `one` and `two` look for alice and bob among the maps.
async fn prepared(world: &World, maps: &[(&str, &str)]) {
    world.install(&definition()).await;
    for (name, users) in maps {
        world.create::<ConfigMap>(a_map(name, users)).await;
    }
    for (name, user) in [("one", "alice"), ("two", "bob")] {
        world.create::<Widget>(a_widget(name, json!({ "fetch": user }))).await;
    }
}

/// What the passes since the last call said, in order, once there are as many.
async fn said(lab: &Lab, lines: &[&str]) {
    let all = || async { (lab.log().len() >= lines.len()).then_some(()) };
    eventually(SOON, all).await;
    // Nobody else is woken.
    sleep(Duration::from_millis(500)).await;
    let mut log = lab.take_log();
    log.sort();
    assert_eq!(log, lines);
}

on_each_server!(
    what_is_under_the_key_is_found_and_wakes_and_the_rest_does_not,
    what_changed_under_a_key_is_found_after_a_restart,
    a_map_that_the_index_cannot_read_is_found_by_nobody,
);

async fn what_is_under_the_key_is_found_and_wakes_and_the_rest_does_not(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "bob"), ("c", "carol")]).await;
    let lab = Lab::at("a");
    let operator = started(&world, &lab).await;
    said(&lab, &["alice: a", "bob: b"]).await;
    change(&world, "c", "carol,alice").await;
    said(&lab, &["alice: a,c"]).await;
    change(&world, "b", "alice").await;
    said(&lab, &["alice: a,b,c", "bob: "]).await;
    change(&world, "c", "carol").await;
    said(&lab, &["alice: a,b"]).await;
    change(&world, "c", "carol,dave").await;
    said(&lab, &[]).await;
    world.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    said(&lab, &["alice: b"]).await;
    operator.stop().await.unwrap();
    world
}

async fn what_changed_under_a_key_is_found_after_a_restart(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "bob")]).await;
    let lab = Lab::at("a");
    started(&world, &lab).await.stop().await.unwrap();
    said(&lab, &["alice: a", "bob: b"]).await;
    let operator = started(&world, &lab).await;
    said(&lab, &[]).await;
    operator.stop().await.unwrap();
    change(&world, "b", "bob,alice").await;
    let operator = started(&world, &lab).await;
    said(&lab, &["alice: a,b", "bob: b"]).await;
    operator.stop().await.unwrap();
    world
}

async fn a_map_that_the_index_cannot_read_is_found_by_nobody(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "nobody")]).await;
    let lab = Lab::at("a");
    let operator = started(&world, &lab).await;
    said(&lab, &["alice: a", "bob: "]).await;
    change(&world, "a", "nobody").await;
    said(&lab, &["alice: "]).await;
    change(&world, "b", "bob").await;
    said(&lab, &["bob: b"]).await;
    operator.stop().await.unwrap();
    world
}
