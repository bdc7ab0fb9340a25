//! Tests of the server through a client, by topic.

mod bulk;
mod conversion;
mod cost;
mod crd_write;
mod deletion_cost;
mod depth_limit;
mod eventually;
mod evict;
mod field_owners;
mod gc;
mod hold;
mod hooks;
mod load;
mod pod_log;
mod policy;
mod rbac;
mod sdk_calls;
mod seed;
mod service;
mod settle;
mod smoke;
mod snapshot;
mod token;
mod watch_stress;
mod webhook;

use kube::Api;
use kube::Client;
use kube::api::{ApiResource, DynamicObject, PostParams};
use serde_json::{Value, json};

use crate::Cluster;

/// The CRD of Widgets in the group ex.dev, with a status.
fn widgets() -> Value {
    let schema = json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"size": {"type": "integer"}, "replicas": {"type": "integer", "default": 1}}},
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.ex.dev"},
        "spec": {
            "group": "ex.dev", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

fn dynamic(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") },
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

fn object(value: Value) -> DynamicObject {
    serde_json::from_value(value).unwrap()
}

/// A cluster with the Widget CRD, a client, and the API for Widgets.
async fn with_widgets() -> (Cluster, Client, Api<DynamicObject>) {
    let cluster = Cluster::start().await;
    let client = cluster.client();
    let definitions = dynamic("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
    let definitions: Api<DynamicObject> = Api::all_with(client.clone(), &definitions);
    definitions.create(&PostParams::default(), &object(widgets())).await.unwrap();
    let resource = dynamic("ex.dev", "v1", "Widget", "widgets");
    let api = Api::namespaced_with(client.clone(), "default", &resource);
    (cluster, client, api)
}

fn widget(name: &str, size: i64) -> DynamicObject {
    object(json!({"apiVersion": "ex.dev/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": size}}))
}
