//! What of an object a step is given, and what of it the watches ask for.

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

/// Notes which ballast the objects bring along, and which of what counts.
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

/// What the step was given of the widget and of the secret.
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

async fn objects_come_without_what_no_step_should_decide_by(world: World) -> World {
    assert_eq!(given(&world, |operator| operator).await, [r#"["note"] false"#; 2]);
    world
}

async fn an_operator_that_says_so_keeps_it(world: World) -> World {
    let kept = given(&world, Operator::keep_managed_fields).await;
    assert_eq!(kept, [r#"["kubectl.kubernetes.io/last-applied-configuration", "note"] true"#; 2]);
    world
}

on_each_server!(objects_come_without_what_no_step_should_decide_by, an_operator_that_says_so_keeps_it);

#[tokio::test]
async fn of_owned_kinds_only_the_metadata_is_asked_for() {
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
