//! The status of Deployments, StatefulSets, DaemonSets and ReplicaSets, as their controllers write it.

use serde_json::{Value, json};

/// The number of nodes on which a DaemonSet runs.
const NODES: i64 = 1;

fn replicas(object: &Value) -> i64 {
    object["spec"]["replicas"].as_i64().unwrap_or(1)
}

fn generation(object: &Value) -> &Value {
    &object["metadata"]["generation"]
}

/// Returns whether the status is that of an earlier generation, whose pods still run.
fn is_update(object: &Value) -> bool {
    object["status"]["observedGeneration"]
        .as_i64()
        .is_some_and(|observed| Some(observed) != generation(object).as_i64())
}

/// Returns the number of pods that have the present template: those of a new object start, those of an update follow.
fn started(object: &Value, count: i64) -> i64 {
    match object["status"]["updatedReplicas"].as_i64() {
        _ if is_update(object) => 0,
        Some(updated) => updated,
        None => count,
    }
}

fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": type_, "status": status, "reason": reason, "message": message})
}

pub(super) fn deployment_observed(object: &Value, now: &str) -> Value {
    let (count, available) = (replicas(object), object["status"]["availableReplicas"].as_i64().unwrap_or(0));
    let is_available = available >= count;
    let (word, reason, message) = match is_available {
        true => ("True", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        false => ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."),
    };
    let progressing = condition("Progressing", "True", "ReplicaSetUpdated", "ReplicaSet is progressing.");
    json!({
        "observedGeneration": generation(object), "replicas": count, "updatedReplicas": started(object, count),
        "unavailableReplicas": (!is_available).then_some(count - available),
        "conditions": [dated(progressing, now), dated(condition("Available", word, reason, message), now)],
    })
}

pub(super) fn deployment_ready(object: &Value, now: &str) -> Value {
    let count = replicas(object);
    let available = condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.");
    let progressed =
        condition("Progressing", "True", "NewReplicaSetAvailable", "ReplicaSet has successfully progressed.");
    json!({
        "observedGeneration": generation(object), "replicas": count, "updatedReplicas": count, "readyReplicas": count,
        "availableReplicas": count, "unavailableReplicas": null,
        "conditions": [dated(progressed, now), dated(available, now)],
    })
}

/// Adds the time that only conditions of Deployments have.
fn dated(mut condition: Value, now: &str) -> Value {
    condition["lastUpdateTime"] = json!(now);
    condition
}

/// Returns the name of the revision of a generation.
fn revision(object: &Value) -> String {
    format!("{}-{}", object["metadata"]["name"].as_str().unwrap_or_default(), generation(object))
}

pub(super) fn stateful_set_observed(object: &Value, _: &str) -> Value {
    let count = replicas(object);
    let (revision, former) = (json!(revision(object)), &object["status"]["currentRevision"]);
    let current = if former.is_null() { &revision } else { former };
    json!({
        "observedGeneration": generation(object), "replicas": count, "currentReplicas": count,
        "updatedReplicas": started(object, count), "currentRevision": current, "updateRevision": revision,
    })
}

pub(super) fn stateful_set_ready(object: &Value, _: &str) -> Value {
    let (count, revision) = (replicas(object), revision(object));
    json!({
        "observedGeneration": generation(object), "replicas": count, "currentReplicas": count, "updatedReplicas": count,
        "readyReplicas": count, "availableReplicas": count, "currentRevision": revision, "updateRevision": revision,
    })
}

pub(super) fn daemon_set_observed(object: &Value, _: &str) -> Value {
    let (is_update, ready) = (is_update(object), object["status"]["numberAvailable"].as_i64().unwrap_or(0));
    let updated = object["status"]["updatedNumberScheduled"].as_i64().unwrap_or(NODES);
    json!({
        "observedGeneration": generation(object), "desiredNumberScheduled": NODES, "currentNumberScheduled": NODES,
        "numberMisscheduled": 0, "updatedNumberScheduled": if is_update { 0 } else { updated },
        "numberUnavailable": (ready < NODES).then_some(NODES - ready),
    })
}

pub(super) fn daemon_set_ready(object: &Value, _: &str) -> Value {
    json!({
        "observedGeneration": generation(object), "desiredNumberScheduled": NODES, "currentNumberScheduled": NODES,
        "numberMisscheduled": 0, "updatedNumberScheduled": NODES, "numberReady": NODES, "numberAvailable": NODES,
        "numberUnavailable": null,
    })
}

pub(super) fn replica_set_observed(object: &Value, _: &str) -> Value {
    let count = replicas(object);
    json!({"observedGeneration": generation(object), "replicas": count, "fullyLabeledReplicas": count})
}

pub(super) fn replica_set_ready(object: &Value, now: &str) -> Value {
    let (mut status, count) = (replica_set_observed(object, now), replicas(object));
    status["readyReplicas"] = json!(count);
    status["availableReplicas"] = json!(count);
    status
}
