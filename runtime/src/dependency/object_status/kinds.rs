//! The status of objects of built-in kinds, which have no condition Ready.

use serde_json::Value;

use super::parts::Observed;
use crate::object_status::ObjectStatus;

/// The deadline of a Deployment without one: its controller then sets no reason of Progressing.
const NO_DEADLINE: i64 = i32::MAX as i64;

/// The status by the rule of the kind; `None`: the kind has no rule of its own.
pub(super) fn status(object: Observed<'_>) -> Option<ObjectStatus> {
    let rule = match (object.group, object.kind) {
        ("apps", "Deployment") => deployment,
        ("apps", "StatefulSet") => stateful_set,
        ("apps", "DaemonSet") => daemon_set,
        ("apps", "ReplicaSet") => replica_set,
        ("batch", "Job") => job,
        ("", "Pod") => pod,
        ("", "PersistentVolumeClaim") => claim,
        ("", "Service") => service,
        ("policy", "PodDisruptionBudget") => observed,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition,
        ("apiregistration.k8s.io", "APIService") => api_service,
        _ => return None,
    };
    Some(rule(object).map_or_else(|unmet| unmet, |()| ObjectStatus::Current))
}

/// The first requirement that is not met.
type Met = Result<(), ObjectStatus>;

fn require(is_met: bool, why: impl FnOnce() -> String) -> Met {
    if is_met { Ok(()) } else { Err(ObjectStatus::InProgress(why())) }
}

fn number(part: &Value, field: &str) -> i64 {
    part[field].as_i64().unwrap_or(0)
}

/// The number of wanted replicas.
fn wanted(object: Observed<'_>) -> i64 {
    object.spec["replicas"].as_i64().unwrap_or(1)
}

/// Requires that at least `wanted` replicas are counted in the field of the status.
fn at_least(object: Observed<'_>, field: &str, wanted: i64, verb: &str) -> Met {
    let count = number(object.status, field);
    require(count >= wanted, || format!("{count} of {wanted} replicas {verb}"))
}

/// Requires that no more replicas exist than wanted.
fn no_more_than(object: Observed<'_>, wanted: i64) -> Met {
    let surplus = number(object.status, "replicas") - wanted;
    require(surplus <= 0, || format!("{surplus} replicas must still end"))
}

fn deployment(object: Observed<'_>) -> Met {
    let progressing = object.condition("Progressing");
    let has_reason = |reason: &str| progressing.is_some_and(|condition| condition["reason"] == reason);
    if has_reason("ProgressDeadlineExceeded") {
        return Err(ObjectStatus::Failed("its progress deadline is exceeded".into()));
    }
    let wanted = wanted(object);
    at_least(object, "replicas", wanted, "exist")?;
    at_least(object, "updatedReplicas", wanted, "are updated")?;
    no_more_than(object, wanted)?;
    at_least(object, "availableReplicas", number(object.status, "updatedReplicas"), "are available")?;
    at_least(object, "readyReplicas", wanted, "are ready")?;
    let has_deadline = object.spec["progressDeadlineSeconds"].as_i64().is_some_and(|limit| limit != NO_DEADLINE);
    let is_finished = has_reason("NewReplicaSetAvailable") && object.has("Progressing", "True");
    require(is_finished || !has_deadline, || "its new ReplicaSet is not available yet".into())?;
    require(object.has("Available", "True"), || "Available is not True".into())
}

fn stateful_set(object: Observed<'_>) -> Met {
    let strategy = &object.spec["updateStrategy"];
    // A person deletes the Pods, so the controller never replaces them.
    if strategy["type"] == "OnDelete" {
        return Ok(());
    }
    let wanted = wanted(object);
    at_least(object, "replicas", wanted, "exist")?;
    at_least(object, "readyReplicas", wanted, "are ready")?;
    no_more_than(object, wanted)?;
    if let Some(partition) = strategy["rollingUpdate"]["partition"].as_i64().filter(|partition| *partition > 0) {
        return at_least(object, "updatedReplicas", (wanted - partition).max(0), "are updated");
    }
    at_least(object, "currentReplicas", wanted, "are current")?;
    let revision = |field: &str| object.status[field].as_str();
    require(revision("currentRevision") == revision("updateRevision"), || "its update is not complete".into())
}

fn daemon_set(object: Observed<'_>) -> Met {
    observed(object)?;
    let wanted = object.status["desiredNumberScheduled"].as_i64();
    let wanted = wanted.ok_or_else(|| ObjectStatus::InProgress("its Pods are not counted yet".into()))?;
    at_least(object, "currentNumberScheduled", wanted, "are scheduled")?;
    at_least(object, "updatedNumberScheduled", wanted, "are updated")?;
    at_least(object, "numberAvailable", wanted, "are available")?;
    at_least(object, "numberReady", wanted, "are ready")
}

fn replica_set(object: Observed<'_>) -> Met {
    require(!object.has("ReplicaFailure", "True"), || "ReplicaFailure is True".into())?;
    let wanted = wanted(object);
    at_least(object, "fullyLabeledReplicas", wanted, "have all labels")?;
    at_least(object, "availableReplicas", wanted, "are available")?;
    at_least(object, "readyReplicas", wanted, "are ready")?;
    no_more_than(object, wanted)
}

fn job(object: Observed<'_>) -> Met {
    if object.has("Failed", "True") {
        return Err(ObjectStatus::Failed("the Job has failed".into()));
    }
    require(object.has("Complete", "True"), || "the Job is not complete yet".into())
}

fn pod(object: Observed<'_>) -> Met {
    let phase = object.status["phase"].as_str().unwrap_or("Unknown");
    match phase {
        "Succeeded" => Ok(()),
        "Failed" => Err(ObjectStatus::Failed("the Pod has failed".into())),
        "Running" if object.has("Ready", "True") => Ok(()),
        _ => match crash_looping(object.status) {
            Some(container) => {
                Err(ObjectStatus::Failed(format!("the container {container} ends again and again (CrashLoopBackOff)")))
            }
            None => Err(ObjectStatus::InProgress(format!("it is {phase} and not ready"))),
        },
    }
}

/// The name of a container that waits in a crash loop.
fn crash_looping(status: &Value) -> Option<&str> {
    let lists = ["initContainerStatuses", "containerStatuses"].into_iter();
    let mut containers = lists.filter_map(|list| status[list].as_array()).flatten();
    let container = containers.find(|container| container["state"]["waiting"]["reason"] == "CrashLoopBackOff")?;
    Some(container["name"].as_str().unwrap_or_default())
}

fn claim(object: Observed<'_>) -> Met {
    let phase = object.status["phase"].as_str().unwrap_or("Pending");
    require(phase == "Bound", || format!("it is {phase}, not Bound"))
}

fn service(object: Observed<'_>) -> Met {
    let is_balanced = object.spec["type"] == "LoadBalancer";
    let has_address = object.spec["clusterIP"].as_str().is_some_and(|address| !address.is_empty());
    require(!is_balanced || has_address, || "it has no cluster address yet".into())
}

/// Requires a status, for kinds whose controller always writes the generation.
fn observed(object: Observed<'_>) -> Met {
    let is_observed = object.generation.is_some() && object.observed_generation().is_some();
    require(is_observed, || "its controller has not observed it yet".into())
}

fn definition(object: Observed<'_>) -> Met {
    if object.has("NamesAccepted", "False") {
        return Err(ObjectStatus::Failed("its names are in use by another definition (NamesAccepted is False)".into()));
    }
    for type_ in ["NamesAccepted", "Established"] {
        require(object.has(type_, "True"), || format!("{type_} is not True yet"))?;
    }
    Ok(())
}

fn api_service(object: Observed<'_>) -> Met {
    require(object.has("Available", "True"), || "Available is not True".into())
}

#[cfg(test)]
mod tests;
