//! The kind of the benches, and the desired state that all three operators apply.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::CustomResource;
use kube::api::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a release should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Release", namespaced, status = "ReleaseStatus")]
#[serde(rename_all = "camelCase")]
pub struct ReleaseSpec {
    pub interval: String,
    pub path: String,
    pub prune: bool,
    pub source: BTreeMap<String, String>,
    pub substitute: BTreeMap<String, String>,
    pub timeout: String,
    pub revision: u32,
}

/// What a release is.
#[evenkeel::status]
pub struct ReleaseStatus {
    pub inventory: Vec<Entry>,
    pub last_applied_revision: Option<String>,
    /// A timestamp, for the deliberate mistake.
    pub stamp: Option<String>,
}

/// One object that a release holds.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Entry {
    pub id: String,
    pub v: String,
}

pub const NAMESPACE: &str = "apps";

/// An object as a user writes it.
#[must_use]
pub fn release(name: &str) -> Value {
    json!({
        "apiVersion": "bench.evenkeel.dev/v1", "kind": "Release",
        "metadata": { "name": name, "namespace": NAMESPACE, "labels": { "app.kubernetes.io/part-of": "platform", "team": "payments" } },
        "spec": {
            "interval": "10m0s", "path": "./deploy/overlays/production", "prune": true, "timeout": "3m0s", "revision": 1,
            "source": { "kind": "GitRepository", "name": "platform-configuration", "namespace": "flux-system" },
            "substitute": { "cluster": "production-eu-west-1", "domain": "apps.example.com", "replicas": "3", "tier": "backend",
                "ingress_class": "nginx-internal", "image_repository": "registry.example.com/platform/payments", "log_level": "info",
                "storage_class": "gp3-encrypted", "feature_gates": "Checkout=true,Refunds=false" },
        },
    })
}

/// The objects that the release applied.
#[must_use]
pub fn inventory() -> Vec<Entry> {
    let entry = |name: &str| Entry { id: format!("apps_{name}_apps_Deployment"), v: "v1".to_owned() };
    ["backend", "frontend", "worker", "scheduler"].map(entry).into()
}

/// The applied revision.
#[must_use]
pub fn applied(spec: &ReleaseSpec) -> String {
    format!("main@sha1:{:040x}", spec.revision)
}

/// The child of a release, without its owner reference.
#[must_use]
pub fn child(parent: &ObjectMeta, spec: &ReleaseSpec) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name.clone_from(&parent.name);
    map.metadata.namespace.clone_from(&parent.namespace);
    map.data = Some(BTreeMap::from([("revision".to_owned(), applied(spec))]));
    map
}

/// The name of the second child of a release.
#[must_use]
pub fn second(release: &str) -> String {
    format!("settings-{release}")
}

/// The first children of a release, two at most, without their owner references.
pub fn children(parent: &ObjectMeta, spec: &ReleaseSpec, count: usize) -> impl Iterator<Item = ConfigMap> {
    let names = [|name: &str| name.to_owned(), second];
    names.into_iter().take(count).map(move |named| {
        let mut map = child(parent, spec);
        map.metadata.name = parent.name.as_deref().map(named);
        map
    })
}
