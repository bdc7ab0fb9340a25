//! A reconciler of a kind that is known only when the program starts.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel::{ApiError, Dynamic};
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum NoteCondition {
    /// The note is in a ConfigMap.
    #[condition(positive)]
    Noted,
}

/// Notes the field `spec.store` of an object of any kind.
#[sub_reconciler(sets(on::Noted), owns(ConfigMap))]
async fn note(object: &Dynamic, lab: &Arc<Lab>, cx: &mut Cx<'_, note>) -> Result<(), ApiError> {
    lab.note(&format!("note {}", object.name_any()));
    let mut map = ConfigMap::default();
    map.metadata.name = Some(format!("note-{}", object.name_any()));
    map.data = Some([("store".to_owned(), object.data["spec"]["store"].to_string())].into());
    cx.apply(&map).await.map(drop)
}

#[reconciler(conditions = NoteCondition)]
async fn notes(object: &Dynamic, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    note(object, lab, cx).await?;
    Ok(())
}

fn operator(world: &World, kind: impl Into<evenkeel::wiring::KindInfo>, lab: &Arc<Lab>) -> Operator {
    let operator = Operator::new("tester").client(world.wire.client(&world.client)).namespaces([&*world.namespace]);
    operator.dynamic_reconciler::<notes>(kind, lab.clone())
}

async fn noted(world: &World, value: &str) -> ConfigMap {
    eventually(SOON, || async {
        let map = world.api::<ConfigMap>().get_opt("note-w").await.unwrap()?;
        (map.data.as_ref()?.get("store")? == value).then_some(map)
    })
    .await
}

async fn a_discovered_kind_is_reconciled(world: World) -> World {
    world.install(&definition()).await;
    let kind = GroupVersionKind::gvk("tests.evenkeel.dev", "v1", "Widget");
    let kind = eventually(SOON, || async { kube::discovery::pinned_kind(&world.client, &kind).await.ok() }).await;
    let lab = Lab::at("a");
    let running = Running::start(operator(&world, kind, &lab));
    world.create::<Widget>(a_widget("w", json!({ "store": "one" }))).await;
    let map = noted(&world, "\"one\"").await;
    let owner = &map.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!((&*owner.api_version, &*owner.kind, &*owner.name), ("tests.evenkeel.dev/v1", "Widget", "w"));
    world.merge::<Widget>("w", json!({ "spec": { "store": "two" } })).await;
    noted(&world, "\"two\"").await;
    world.quiet().await;
    assert_eq!(lab.log(), ["note w", "note w"]);
    let sent = world.sent("w", "Succeeded");
    assert_eq!(
        (&sent[0]["regarding"]["kind"], &sent[0]["regarding"]["apiVersion"]),
        (&json!("Widget"), &json!("tests.evenkeel.dev/v1"))
    );
    running.stop().await.unwrap();
    world
}

async fn a_dynamic_kind_that_is_not_installed_is_waited_for(world: World) -> World {
    let kind = GroupVersionKind::gvk("absent.evenkeel.dev", "v1", "Nothing");
    assert!(kube::discovery::pinned_kind(&world.client, &kind).await.is_err());
    let kind = evenkeel::wiring::KindInfo { resource: ApiResource::from_gvk(&kind).into(), namespaced: true };
    let lab = Lab::at("a");
    let running = Running::start(operator(&world, kind, &lab).reconciler::<crate::bare::copier>(lab.clone()));
    world.create::<ConfigMap>(crate::bare::a_map("a", &json!({ "k": "one" }))).await;
    // The other reconciler does not wait.
    eventually(SOON, || async { lab.log().contains(&"check a".to_owned()).then_some(()) }).await;
    running.stop().await.unwrap();
    world
}

on_each_server!(a_discovered_kind_is_reconciled, a_dynamic_kind_that_is_not_installed_is_waited_for);

#[test]
fn the_rules_name_the_kind_of_the_program() {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Gadget");
    let kind = evenkeel::wiring::KindInfo { resource: ApiResource::from_gvk(&kind).into(), namespaced: true };
    let rules = Operator::new("tester").dynamic_reconciler::<notes>(kind, Lab::at("a")).rbac_rules();
    let own: Vec<_> = rules.iter().filter(|rule| rule.group == "example.com").map(|rule| &*rule.resource).collect();
    assert_eq!(own, ["gadgets", "gadgets/finalizers"]);
}
