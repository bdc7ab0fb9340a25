//! The initial status of built-in objects.

use serde_json::{Value, json};

use super::fields::fill;
use crate::registry::Kind;

/// The status fields that are always present; `None` for kinds without a status.
fn always(kind: &Kind) -> Option<Value> {
    let always = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Service") | ("networking.k8s.io", "Ingress") => json!({"loadBalancer": {}}),
        ("", "PersistentVolume" | "PersistentVolumeClaim") => json!({"phase": "Pending"}),
        ("", "ResourceQuota") | ("apps", "Deployment") | ("batch", "Job" | "CronJob") => json!({}),
        ("apiregistration.k8s.io", "APIService") => json!({}),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => json!({}),
        ("apps", "ReplicaSet") => json!({"replicas": 0}),
        ("apps", "StatefulSet") => json!({"replicas": 0, "availableReplicas": 0}),
        ("apps", "DaemonSet") => {
            json!({"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0})
        }
        ("policy", "PodDisruptionBudget") => {
            json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0})
        }
        _ => return None,
    };
    kind.is_builtin().then_some(always)
}

/// Sets the status fields that are always present.
pub(super) fn complete(kind: &Kind, object: &mut Value) {
    let Some(always) = always(kind) else { return };
    if object["status"].is_null() {
        object["status"] = json!({});
    }
    fill(&mut object["status"], always);
}
