//! Managed types, ranks, and orders that contradict each other.

use evenkeel::dependents::order::{TypePattern, apply_rank, delete_rank, managed_types};
use serde_json::{Value, json};

use super::fixture::plan;

/// The pattern of a group. One that evenkeel refuses matches nothing.
pub(crate) async fn pattern(given: Value) -> Value {
    let [name, pattern] = ["name", "pattern"].map(|key| given[key].as_str().unwrap());
    let pattern = format!("{pattern}/*").parse::<TypePattern>();
    json!({ "match": pattern.is_ok_and(|pattern| pattern.matches(name, "Kind")) })
}

/// `CRD group=group kind=Kind`.
pub(crate) async fn types(given: Value) -> Value {
    let mut words = given["object"].as_str().unwrap().split(' ');
    let kind = words.next().unwrap();
    let fields: Vec<_> = words.map(|word| word.split_once('=').unwrap()).collect();
    let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let object = match kind {
        "CRD" => json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": { "group": field("group"), "names": { "kind": field("kind") } },
        }),
        "APIService" => json!({
            "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
            "spec": { "group": field("group"), "version": field("version") },
        }),
        other => json!({ "apiVersion": "v1", "kind": other }),
    };
    let shown = |name: Option<String>| name.unwrap_or_else(|| "*".into());
    let types = managed_types(&object).into_iter();
    let types = types.map(|one| json!({ "group": one.group, "version": shown(one.version), "kind": shown(one.kind) }));
    json!({ "types": types.collect::<Vec<_>>() })
}

/// The group of a kind of Kubernetes that has a rank.
fn group_of(kind: &str) -> &'static str {
    match kind {
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => "admissionregistration.k8s.io",
        "CustomResourceDefinition" => "apiextensions.k8s.io",
        "APIService" => "apiregistration.k8s.io",
        "IngressClass" => "networking.k8s.io",
        "RuntimeClass" => "node.k8s.io",
        "PriorityClass" => "scheduling.k8s.io",
        "StorageClass" => "storage.k8s.io",
        "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => "rbac.authorization.k8s.io",
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => "apps",
        "Job" | "CronJob" => "batch",
        _ => "",
    }
}

pub(crate) async fn rank(given: Value) -> Value {
    let kind = given["kind"].as_str().unwrap();
    let rank = if given["op"] == "apply" { apply_rank } else { delete_rank };
    json!({ "rank": rank(group_of(kind), kind) })
}

/// A CRD, an instance of it, a namespace and an object in it, each with orders, if the case has it.
pub(crate) async fn validation(given: Value) -> Value {
    let set = [
        ("crd", "apiextensions.k8s.io/v1", "CustomResourceDefinition", false),
        ("instance", "example.com/v1", "Shop", true),
        ("namespace", "v1", "Namespace", false),
        ("content", "v1", "ConfigMap", true),
    ];
    let manifests = set.into_iter().filter_map(|(key, api_version, kind, namespaced)| {
        let orders = given[key].as_object()?.iter();
        let annotations =
            orders.map(|(order, value)| (format!("evenkeel.dev/{order}-order"), json!(value.to_string())));
        let meta = json!({ "name": "team-a", "annotations": annotations.collect::<serde_json::Map<_, _>>() });
        let mut manifest = json!({ "apiVersion": api_version, "kind": kind, "metadata": meta });
        if key == "crd" {
            manifest["spec"] = json!({ "group": "example.com", "names": { "kind": "Shop" } });
        }
        Some((manifest, namespaced))
    });
    json!({ "error": plan(&manifests.collect::<Vec<_>>()).is_err() })
}
