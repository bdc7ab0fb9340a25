//! Which fields of an object a step receives, and which the watches request.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::Verb;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetCondition, WidgetError, a_widget, definition, is_ready, on, store};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::json;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Logs which stripped and which relevant fields the objects have.
#[sub_reconciler(sets(on::Fetched, on::Outdated), watches(Secret, by_name))]
async fn look(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, look>) -> Result<String, WidgetError> {
    let secret = cx.require::<Secret>("s").await?;
    for meta in [&widget.metadata, &secret.metadata] {
        let annotations = meta.annotations.iter().flatten().map(|(name, _)| name.as_str());
        let annotations: Vec<_> = annotations.filter(|name| [LAST_APPLIED, "note"].contains(name)).collect();
        let managers = meta.managed_fields.is_some();
        lab.note(&format!("{annotations:?} {managers}"));
    }
    Ok("a".into())
}

#[reconciler(conditions = WidgetCondition)]
async fn looking(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    let revision = look(widget, lab, cx).await?;
    store(widget, lab, &revision.as_str().into(), cx).await?;
    Ok(())
}

/// The logged fields of the widget and of the Secret.
async fn given(world: &World, prepare: impl FnOnce(Operator) -> Operator) -> Vec<String> {
    let annotations = json!({ LAST_APPLIED: "{}", "note": "kept" });
    world.install(&definition()).await;
    world.create::<Secret>(json!({ "metadata": { "name": "s", "annotations": annotations } })).await;
    let mut object = a_widget("w", json!({ "child": "x" }));
    object["metadata"]["annotations"] = annotations;
    world.create::<Widget>(object).await;
    let lab = Lab::at("a");
    let operator = Running::start(prepare(world.prepare::<looking>(lab.clone())));
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    let mut given = lab.log();
    given.retain(|line| line.starts_with('['));
    given.truncate(2);
    given
}

async fn objects_are_stripped_of_managed_fields(world: World) -> World {
    assert_eq!(given(&world, |operator| operator).await, [r#"["note"] false"#; 2]);
    world
}

async fn an_operator_may_keep_managed_fields(world: World) -> World {
    let full = given(&world, Operator::keep_managed_fields).await;
    assert_eq!(full, [r#"["kubectl.kubernetes.io/last-applied-configuration", "note"] true"#; 2]);
    world
}

on_each_server!(objects_are_stripped_of_managed_fields, an_operator_may_keep_managed_fields);

#[tokio::test]
async fn watches_of_owned_kinds_request_metadata_only() {
    let world = World::on(Server::InProcess).await.unwrap();
    given(&world, |operator| operator).await;
    let asked = world.cluster().log().requests().resource("configmaps").reads();
    let watches = asked.verb(Verb::Watch);
    assert!(watches.count() > 0);
    for entry in asked.filter(|entry| entry.name.is_none()).entries() {
        assert!(entry.accept.contains("as=PartialObjectMetadata"), "{}", entry.line());
    }
    let child = world.api::<ConfigMap>().get("w").await.unwrap();
    assert_eq!(child.owner_references().len(), 1);
}
