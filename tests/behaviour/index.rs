//! Index lookups: the returned objects and the triggers.

use std::sync::Arc;

use evenkeel::Index;
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition, is_ready};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum IndexCondition {
    /// The maps of a user were looked at.
    #[condition(positive)]
    Found,
}

/// An index of ConfigMaps by user.
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

/// Finds the ConfigMaps of the user that the widget names.
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

/// The widgets `one` and `two` look up the ConfigMaps of alice and bob.
async fn prepared(world: &World, maps: &[(&str, &str)]) {
    world.install(&definition()).await;
    for (name, users) in maps {
        world.create::<ConfigMap>(a_map(name, users)).await;
    }
    for (name, user) in [("one", "alice"), ("two", "bob")] {
        world.create::<Widget>(a_widget(name, json!({ "fetch": user }))).await;
    }
}

on_each_server!(
    only_objects_under_the_key_are_found_and_trigger,
    changes_under_a_key_are_found_after_a_restart,
    a_map_without_a_key_is_not_indexed,
);

async fn only_objects_under_the_key_are_found_and_trigger(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "bob"), ("c", "carol")]).await;
    let lab = Lab::at("a");
    let operator = started(&world, &lab).await;
    lab.until_logged(&["alice: a", "bob: b"]).await;
    change(&world, "c", "carol,alice").await;
    lab.until_logged(&["alice: a,c"]).await;
    change(&world, "b", "alice").await;
    lab.until_logged(&["alice: a,b,c", "bob: "]).await;
    change(&world, "c", "carol").await;
    lab.until_logged(&["alice: a,b"]).await;
    change(&world, "c", "carol,dave").await;
    lab.until_logged(&[]).await;
    world.api::<ConfigMap>().delete("a", &DeleteParams::default()).await.unwrap();
    lab.until_logged(&["alice: b"]).await;
    operator.stop().await.unwrap();
    world
}

async fn changes_under_a_key_are_found_after_a_restart(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "bob")]).await;
    let lab = Lab::at("a");
    started(&world, &lab).await.stop().await.unwrap();
    lab.until_logged(&["alice: a", "bob: b"]).await;
    let operator = started(&world, &lab).await;
    lab.until_logged(&[]).await;
    operator.stop().await.unwrap();
    change(&world, "b", "bob,alice").await;
    let operator = started(&world, &lab).await;
    lab.until_logged(&["alice: a,b", "bob: b"]).await;
    operator.stop().await.unwrap();
    world
}

async fn a_map_without_a_key_is_not_indexed(world: World) -> World {
    prepared(&world, &[("a", "alice"), ("b", "nobody")]).await;
    let lab = Lab::at("a");
    let operator = started(&world, &lab).await;
    lab.until_logged(&["alice: a", "bob: "]).await;
    change(&world, "a", "nobody").await;
    lab.until_logged(&["alice: "]).await;
    change(&world, "b", "bob").await;
    lab.until_logged(&["bob: b"]).await;
    operator.stop().await.unwrap();
    world
}
