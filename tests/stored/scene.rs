//! A scene: an operator, its objects, their changes, and the stored result.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_testkit::Cluster;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{Lab, Widget};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::events::v1::Event;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{ApiResource, CustomResourceExt};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::operators::Engine;

/// An operator and its objects.
pub(crate) struct Scene {
    /// The name of the file.
    pub(crate) name: &'static str,
    pub(crate) operator: fn(&World, &Arc<Lab>) -> Operator,
    /// The objects before the operator starts.
    pub(crate) objects: Vec<Value>,
    /// The changes, one after the other.
    pub(crate) changes: Vec<Change>,
    /// The log lines of bodies that run after each start, since their objects wait or fail.
    pub(crate) restless: &'static [&'static str],
}

/// A change to an object of the reconciled kind.
pub(crate) enum Change {
    Merge(&'static str, Value),
    Delete(&'static str),
}

/// The group of the reconciled kinds.
const GROUP: &str = "tests.evenkeel.dev";
/// Enough time for everything that needs no timer.
const SETTLED: Duration = Duration::from_secs(3);
const THEN: &str = "2026-01-01T00:00:00Z";
/// The fields with a timestamp.
const MOMENTS: [&str; 4] = ["creationTimestamp", "deletionTimestamp", "lastTransitionTime", "time"];

impl Scene {
    /// Plays the scene on a separate cluster.
    pub(crate) async fn played(&self) -> Stage {
        let stage = Stage::new().await;
        for object in &self.objects {
            stage.cluster().seed(object.clone()).await.unwrap();
        }
        let operator = stage.start(self.operator);
        sleep(SETTLED).await;
        for change in &self.changes {
            stage.change(change).await;
            sleep(SETTLED).await;
        }
        operator.stop().await.unwrap();
        stage
    }

    /// Restores the stored objects of an earlier build on a separate cluster.
    pub(crate) async fn restored(&self, stored: &Value) -> Stage {
        let stage = Stage::new().await;
        let objects = stored["objects"].as_array().unwrap();
        stage.cluster().seed_stored(objects.iter().cloned()).unwrap();
        stage
    }
}

/// A cluster and the changes to it.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) lab: Arc<Lab>,
}

impl Stage {
    async fn new() -> Self {
        // A second subscriber is always present: with a single one, tracing asks the wrong thread for it.
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init();
        let cluster = Cluster::start().await;
        for definition in [Widget::crd(), Engine::crd()] {
            cluster.seed(&definition).await.unwrap();
        }
        let world = World::within(cluster);
        // Without `observe`, an object under `skip` has no conditions.
        world.wire.observers().excuse("skipped");
        Self { world, lab: Lab::at("a") }
    }

    fn cluster(&self) -> &Cluster {
        self.world.cluster()
    }

    pub(crate) fn start(&self, operator: fn(&World, &Arc<Lab>) -> Operator) -> Running {
        Running::start(operator(&self.world, &self.lab))
    }

    /// A life of the operator without external changes.
    pub(crate) async fn live(&self, operator: fn(&World, &Arc<Lab>) -> Operator) {
        let operator = self.start(operator);
        sleep(SETTLED).await;
        operator.stop().await.unwrap();
    }

    async fn change(&self, change: &Change) {
        let api = self.api(&ApiResource::erase::<Widget>(&()));
        match change {
            Change::Merge(name, patch) => {
                drop(api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap());
            }
            Change::Delete(name) => drop(api.delete(name, &DeleteParams::default()).await.unwrap()),
        }
    }

    fn api(&self, resource: &ApiResource) -> Api<DynamicObject> {
        Api::namespaced_with(self.world.client.clone(), &self.world.namespace, resource)
    }

    /// The stored objects and the sent events.
    pub(crate) async fn stored(&self) -> Value {
        let mut objects = Vec::new();
        for resource in [
            ApiResource::erase::<Widget>(&()),
            ApiResource::erase::<Engine>(&()),
            ApiResource::erase::<ConfigMap>(&()),
            ApiResource::erase::<Secret>(&()),
        ] {
            for mut object in self.list(&resource).await {
                // Passes end in any order, and the digest of a watching object contains the versions of others.
                if resource.group == GROUP {
                    object["metadata"]["resourceVersion"] = json!((1000 + objects.len()).to_string());
                }
                objects.push(timeless(with_kind(object, &resource)));
            }
        }
        let mut events: Vec<Value> = self.list(&ApiResource::erase::<Event>(&())).await.iter().map(event).collect();
        events.sort_by_key(ToString::to_string);
        sorted(json!({ "objects": objects, "events": events }))
    }

    async fn list(&self, resource: &ApiResource) -> Vec<Value> {
        let items = self.api(resource).list(&ListParams::default()).await.unwrap().items;
        items.iter().map(|item| serde_json::to_value(item).unwrap()).collect()
    }
}

fn with_kind(mut object: Value, resource: &ApiResource) -> Value {
    object["apiVersion"] = json!(resource.api_version);
    object["kind"] = json!(resource.kind);
    object
}

/// The stable fields of an event.
fn event(event: &Value) -> Value {
    let fields = ["action", "note", "reason", "reportingController", "type"];
    let mut stable: Value = fields.into_iter().map(|field| (field.to_owned(), event[field].clone())).collect();
    stable["regarding"] =
        json!(format!("{} {}", event["regarding"]["kind"], event["regarding"]["name"]).replace('"', ""));
    stable
}

/// Replaces all timestamps by the same one.
fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let moment = MOMENTS.contains(&&**name) && field.is_string();
                *field = if moment { json!(THEN) } else { timeless(field.take()) };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    value
}

/// Sorts the keys alphabetically.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> = fields.into_iter().map(|(name, field)| (name, sorted(field))).collect();
            fields.into_iter().collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}
