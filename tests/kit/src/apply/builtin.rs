//! Which lists and maps of built-in kinds are shared by item and which maps are whole: facts of the published schemas.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::schema::Structural;

/// What is known of the built-in kind `kind`; of one without an entry, nothing.
pub(crate) fn facts(kind: &str) -> &'static Structural {
    KINDS.get(kind).unwrap_or(&NOTHING)
}

/// Nothing in particular: maps are shared by member, lists are whole.
pub(crate) static NOTHING: LazyLock<Structural> = LazyLock::new(|| Structural::read(&json!({})));

static KINDS: LazyLock<BTreeMap<&'static str, Structural>> = LazyLock::new(|| {
    let workload = || spec(&json!({"selector": whole(), "template": template()}));
    let job = json!({"selector": whole(), "template": template()});
    let kinds = [
        ("CronJob", spec(&json!({"jobTemplate": fields(&json!({"spec": fields(&job)}))}))),
        ("CustomResourceDefinition", spec(&json!({}))),
        ("DaemonSet", workload()),
        ("Deployment", workload()),
        ("Event", fields(&json!({"involvedObject": whole(), "regarding": whole(), "related": whole()}))),
        ("HorizontalPodAutoscaler", spec(&json!({}))),
        // The conditions of a Job are whole, unlike all others.
        ("Job", fields(&json!({"spec": fields(&job)}))),
        ("Namespace", spec(&json!({}))),
        ("NetworkPolicy", spec(&json!({"podSelector": whole()}))),
        ("PersistentVolumeClaim", spec(&json!({"dataSource": whole(), "selector": whole()}))),
        (
            "Pod",
            fields(
                &json!({"spec": pod(), "status": fields(&json!({"conditions": keyed(&["type"]), "podIPs": keyed(&["ip"])}))}),
            ),
        ),
        ("PodDisruptionBudget", spec(&json!({"selector": whole()}))),
        ("ReplicaSet", workload()),
        ("ClusterRoleBinding", fields(&json!({"roleRef": whole()}))),
        ("RoleBinding", fields(&json!({"roleRef": whole()}))),
        ("Service", spec(&json!({"ports": ports("port"), "selector": whole()}))),
        ("ServiceAccount", fields(&json!({"secrets": keyed(&["name"])}))),
        ("StatefulSet", workload()),
    ];
    kinds.into_iter().map(|(kind, facts)| (kind, Structural::read(&facts))).collect()
});

/// A kind with these facts about its spec, and conditions by type.
fn spec(facts: &Value) -> Value {
    fields(&json!({"spec": fields(facts), "status": fields(&json!({"conditions": keyed(&["type"])}))}))
}

fn template() -> Value {
    fields(&json!({"spec": pod()}))
}

fn pod() -> Value {
    let container = containers();
    fields(&json!({
        "containers": container, "initContainers": container, "ephemeralContainers": container,
        "hostAliases": keyed(&["ip"]),
        "imagePullSecrets": keyed(&["name"]),
        "nodeSelector": whole(),
        "resourceClaims": keyed(&["name"]),
        "schedulingGates": keyed(&["name"]),
        "topologySpreadConstraints": list(&["topologyKey", "whenUnsatisfiable"], &json!({"labelSelector": whole()})),
        "volumes": keyed(&["name"]),
    }))
}

fn containers() -> Value {
    let source =
        json!({"configMapKeyRef": whole(), "fieldRef": whole(), "resourceFieldRef": whole(), "secretKeyRef": whole()});
    list(
        &["name"],
        &json!({
            "env": list(&["name"], &json!({"valueFrom": fields(&source)})),
            "ports": ports("containerPort"),
            "resources": fields(&json!({"claims": keyed(&["name"])})),
            "volumeDevices": keyed(&["devicePath"]),
            "volumeMounts": keyed(&["mountPath"]),
        }),
    )
}

/// Ports are told apart by number and protocol, which is TCP where nothing is said.
fn ports(number: &str) -> Value {
    list(&[number, "protocol"], &json!({"protocol": {"type": "string", "default": "TCP"}}))
}

fn keyed(keys: &[&str]) -> Value {
    list(keys, &json!({}))
}

fn list(keys: &[&str], facts: &Value) -> Value {
    json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": fields(facts)})
}

fn fields(facts: &Value) -> Value {
    json!({"type": "object", "properties": facts})
}

fn whole() -> Value {
    json!({"type": "object", "x-kubernetes-map-type": "atomic"})
}
