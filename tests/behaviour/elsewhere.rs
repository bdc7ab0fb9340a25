//! Reads of objects in other namespaces.

use std::sync::Arc;

use evenkeel::dependency::{Access, Reference};
use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, message, reason};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum CopyCondition {
    /// The objects of the other namespace were read.
    #[condition(positive)]
    Looked,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum CopyError {
    /// The Secret is missing.
    #[error(transparent)]
    #[class(waiting)]
    Missing(#[from] evenkeel::Absent<Secret>),
    /// A call failed.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] evenkeel::ApiError),
}

/// Reads a Secret by name, a map from the API server, and lists maps: all of the namespace that the widget names.
#[sub_reconciler(sets(on::Looked), watches(Secret, by_name), watches(ConfigMap, labels = "look=yes"))]
async fn look(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), CopyError> {
    let Some(there) = &widget.spec.needs else { return Ok(()) };
    let namespace = there.namespace.clone().unwrap_or_default();
    let secret = cx.require::<Secret>(there).await?;
    let maps: Vec<String> = cx.list_in::<ConfigMap>(&namespace).await?.iter().map(ResourceExt::name_any).collect();
    let map = cx.get::<ConfigMap>(Reference::new(Some(&namespace), "m")).await?;
    let data = secret.data.iter().flatten().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(",");
    lab.note(&format!("{}: {data} {} {}", widget.name_any(), maps.join(","), map.is_some()));
    Ok(())
}

#[reconciler(conditions = CopyCondition)]
async fn looker(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(widget, lab, cx).await?;
    Ok(())
}

/// Creates another namespace with a Secret and a map, and a widget that names them.
async fn elsewhere(world: &World) -> String {
    world.install(&definition()).await;
    let other = world.another_namespace().await;
    let map = json!({ "metadata": { "name": "m", "labels": { "look": "yes" } } });
    let maps: Api<ConfigMap> = Api::namespaced(world.client.clone(), &other);
    maps.create(&PostParams::default(), &serde_json::from_value(map).unwrap()).await.unwrap();
    world.create::<Widget>(a_widget("w", json!({ "needs": format!("{other}/s") }))).await;
    other
}

/// Applies the Secret in the other namespace.
async fn apply_secret(world: &World, namespace: &str, data: Value) {
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": data });
    let secrets: Api<Secret> = Api::namespaced(world.client.clone(), namespace);
    secrets.patch("s", &PatchParams::apply("test").force(), &Patch::Apply(secret)).await.unwrap();
}

async fn an_object_of_another_namespace_is_read_and_triggers(world: World) -> World {
    let lab = Lab::at("a");
    let other = elsewhere(&world).await;
    let running = Running::start(world.prepare_in::<looker>(&[&world.namespace, &other], lab.clone()));
    let wanted = format!("Secret \"{other}/s\" does not exist yet");
    world.until::<Widget>("w", "waiting", |w| message(w, "Looked") == wanted).await;
    apply_secret(&world, &other, json!({ "a": "1" })).await;
    lab.until_logged(&["w: a m true"]).await;
    apply_secret(&world, &other, json!({ "a": "1", "b": "2" })).await;
    lab.until_logged(&["w: a,b m true"]).await;
    running.stop().await.unwrap();
    // A restart runs nothing, since nothing changed.
    let running = Running::start(world.prepare_in::<looker>(&[&world.namespace, &other], lab.clone()));
    lab.until_logged(&[]).await;
    running.stop().await.unwrap();
    world
}

async fn a_namespace_that_is_not_watched_or_not_allowed_is_named(world: World) -> World {
    let lab = Lab::at("a");
    let other = elsewhere(&world).await;
    apply_secret(&world, &other, json!({ "a": "1" })).await;
    let running = Running::start(world.prepare_in::<looker>(&[&world.namespace], lab.clone()));
    let unwatched = format!("is in the namespace {other}, which this operator does not watch");
    world.until::<Widget>("w", "waiting", |w| message(w, "Looked").contains(&unwatched)).await;
    running.stop().await.unwrap();
    let denied = world.prepare_in::<looker>(&[&world.namespace, &other], lab.clone()).access(Access::SameNamespace);
    let running = Running::start(denied);
    let stalled = world.until::<Widget>("w", "stalled", |w| reason(w, "Stalled") == "AccessDenied").await;
    assert!(message(&stalled, "Stalled").contains("--no-cross-namespace-refs"), "{stalled:#}");
    running.stop().await.unwrap();
    assert!(lab.log().is_empty());
    world
}

on_each_server!(
    an_object_of_another_namespace_is_read_and_triggers,
    a_namespace_that_is_not_watched_or_not_allowed_is_named,
);
