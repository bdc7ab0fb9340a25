//! Tests of plans and of the next calls.

mod contradictions;
mod order;
mod random;
mod removal;
mod stages;
mod world;

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::{InvalidManifest, Manifest, Scope};
use crate::dependent_rules::policy::Policies;

const OPTIONS: PlanOptions<'_> = PlanOptions {
    policies: Policies {
        adoption: None,
        reconcile: None,
        update: None,
        delete: None,
        missing_namespaces: None,
        reapply_interval: None,
    },
    manages: &[],
    component: "",
    limit: 100,
};

/// A manifest of namespace `a`, unless it is of a cluster-scoped kind, with annotations of evenkeel.
fn manifest(api_version: &str, kind: &str, name: &str, settings: &[(&str, &str)]) -> Value {
    let settings = settings.iter().map(|(name, value)| (format!("evenkeel.dev/{name}"), json!(value)));
    let annotations = settings.collect::<serde_json::Map<_, _>>();
    json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "annotations": annotations } })
}

fn config(name: &str, settings: &[(&str, &str)]) -> Value {
    manifest("v1", "ConfigMap", name, settings)
}

/// The CRD of `Shop`.
fn crd(settings: &[(&str, &str)]) -> Value {
    let mut crd = manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", "shops.example.com", settings);
    crd["spec"] = json!({ "group": "example.com", "names": { "kind": "Shop" } });
    crd
}

fn shop(settings: &[(&str, &str)]) -> Value {
    manifest("example.com/v1", "Shop", "main", settings)
}

fn try_plan_with(manifests: &[Value], options: PlanOptions<'_>) -> Result<Plan, InvalidManifest> {
    let cluster_scoped = ["Namespace", "CustomResourceDefinition", "APIService", "MutatingWebhookConfiguration"];
    let normal = manifests.iter().map(|manifest| {
        let namespaced = !cluster_scoped.iter().any(|kind| manifest["kind"] == *kind);
        Manifest::new(manifest, Scope { namespaced, default_namespace: Some("a"), prefix: None })
    });
    Plan::new(normal.collect::<Result<_, _>>()?, options)
}

fn plan(manifests: &[Value]) -> Plan {
    try_plan_with(manifests, OPTIONS).unwrap()
}

/// The object of the item as it is when it was just applied and is ready.
fn ready(item: &Item) -> LiveObject {
    LiveObject {
        uid: "1".into(),
        resource_version: "1".into(),
        applied: Some(item.applied),
        is_deleted: false,
        has_drifted: false,
        age: Duration::ZERO,
        status: ObjectStatus::Current,
    }
}
