//! A component with as many dependents as its spec says, in eight kinds, and its operator written with evenkeel.

use evenkeel::dependents::{Dependents, DependentsError, Wanted};
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service, ServiceAccount};
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::kind::NAMESPACE;

/// What a fleet should be.
#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "bench.evenkeel.dev", version = "v1", kind = "Fleet", namespaced, status = "FleetStatus")]
pub struct FleetSpec {
    /// The number of dependents.
    pub size: usize,
    /// The number of dependents, from the first one on, that have the revision.
    pub changed: usize,
    /// The revision.
    pub revision: u32,
}

/// What a fleet is.
#[evenkeel::status(dependents)]
pub struct FleetStatus {
    /// The dependents of the hand-written operator.
    pub inventory: Vec<Item>,
    /// When the hand-written operator reconciled it last, in seconds.
    pub observed: Option<u64>,
}

/// A dependent in the inventory of the hand-written operator.
#[derive(JsonSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub kind: String,
    pub name: String,
    pub digest: String,
    pub phase: String,
    /// When it was applied, in seconds.
    pub last_applied: u64,
}

/// The kinds of the dependents, which are ready as soon as they exist, with API version and plural.
pub const KINDS: [(&str, &str, &str); 8] = [
    ("v1", "ConfigMap", "configmaps"),
    ("v1", "Secret", "secrets"),
    ("v1", "Service", "services"),
    ("v1", "ServiceAccount", "serviceaccounts"),
    ("networking.k8s.io/v1", "Ingress", "ingresses"),
    ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
    ("rbac.authorization.k8s.io/v1", "Role", "roles"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
];

/// With it, the manifests have about the size of those of charts.
const DESCRIPTION: &str = "The storefront of the payments team. Orders come in through the gateway, are checked against the \
    catalogue and the stock, and are written to the ledger. The on-call rota and the runbook are in the handbook of the team, under \
    operations. Ask in the channel of the team before you change anything here by hand, since the operator brings it back in line.";

/// A fleet as a user writes it.
#[must_use]
pub fn fleet(name: &str, size: usize) -> Value {
    json!({
        "apiVersion": "bench.evenkeel.dev/v1", "kind": "Fleet", "metadata": { "name": name, "namespace": NAMESPACE },
        "spec": { "size": size, "changed": 0, "revision": 1 },
    })
}

/// The content of a dependent of this kind.
fn content(kind: &str, name: &str) -> Value {
    let port = json!([{ "name": "http", "port": 80, "protocol": "TCP" }]);
    match kind {
        "ConfigMap" => json!({ "data": { "settings.yaml": "level: info\nworkers: 4\n".repeat(20) } }),
        "Secret" => json!({ "type": "Opaque", "data": { "password": "cGFzc3dvcmQ=" } }),
        "Service" => json!({ "spec": { "selector": { "app": name }, "ports": port } }),
        "ServiceAccount" => json!({ "automountServiceAccountToken": false }),
        "Ingress" => json!({ "spec": { "defaultBackend": { "service": { "name": name, "port": { "number": 80 } } } } }),
        "NetworkPolicy" => {
            json!({ "spec": { "podSelector": { "matchLabels": { "app": name } }, "policyTypes": ["Ingress"] } })
        }
        "Role" => json!({ "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"] }] }),
        _ => json!({
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name },
            "subjects": [{ "kind": "ServiceAccount", "name": name, "namespace": NAMESPACE }],
        }),
    }
}

/// The dependents of a fleet, with the plural of their kind.
pub fn dependents(fleet: &Fleet) -> impl Iterator<Item = (&'static str, Value)> {
    let (name, spec) = (fleet.name_any(), fleet.spec.clone());
    (0..spec.size).map(move |at| dependent(&name, if at < spec.changed { spec.revision } else { 1 }, at))
}

/// One dependent of the fleet with this name, with the plural of its kind.
#[must_use]
pub fn dependent(fleet: &str, revision: u32, at: usize) -> (&'static str, Value) {
    let (api_version, kind, plural) = KINDS[at % KINDS.len()];
    let own = format!("{fleet}-{at:04}");
    let mut object = content(kind, &own);
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    object["metadata"] = json!({
        "name": own, "namespace": NAMESPACE,
        "labels": {
            "app.kubernetes.io/part-of": fleet, "app.kubernetes.io/name": own, "app.kubernetes.io/managed-by": "fleets",
            "app.kubernetes.io/component": "storefront", "app.kubernetes.io/version": "v1.14.2", "team": "payments",
        },
        "annotations": {
            "bench.evenkeel.dev/revision": revision.to_string(), "bench.evenkeel.dev/description": DESCRIPTION,
            "prometheus.io/scrape": "true", "prometheus.io/port": "9090", "prometheus.io/path": "/metrics",
        },
    });
    (plural, object)
}

/// The condition of a fleet.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum FleetCondition {
    /// All dependents are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum FleetError {
    /// A dependent is not as wanted.
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

/// Adds an object as a value of its type, as an author does.
fn add(wanted: &mut Wanted<launch>, plural: &str, object: Value) {
    fn typed<K: DeserializeOwned>(object: Value) -> K {
        serde_json::from_value(object).expect("an object of its kind")
    }
    match plural {
        "configmaps" => wanted.add::<ConfigMap>(&typed(object)),
        "secrets" => wanted.add::<Secret>(&typed(object)),
        "services" => wanted.add::<Service>(&typed(object)),
        "serviceaccounts" => wanted.add::<ServiceAccount>(&typed(object)),
        "ingresses" => wanted.add::<Ingress>(&typed(object)),
        "networkpolicies" => wanted.add::<NetworkPolicy>(&typed(object)),
        "roles" => wanted.add::<Role>(&typed(object)),
        _ => wanted.add::<RoleBinding>(&typed(object)),
    };
}

/// Brings the dependents in line.
#[sub_reconciler(
    sets(on::Applied),
    dependents(ConfigMap, Secret, Service, ServiceAccount, Ingress, NetworkPolicy, Role, RoleBinding, empty = allow)
)]
pub async fn launch(fleet: &Fleet, cx: &mut Cx) -> Result<Dependents, FleetError> {
    let mut wanted = cx.wanted();
    for (plural, object) in dependents(fleet) {
        add(&mut wanted, plural, object);
    }
    Ok(cx.converge(wanted).await?)
}

/// A reconciler of fleets.
#[reconciler(conditions = FleetCondition)]
pub async fn fleets(fleet: &Fleet, cx: &mut Pass<'_>) -> PassResult {
    launch(fleet, cx).await?;
    Ok(())
}
