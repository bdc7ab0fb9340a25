//! The status of Jobs, Pods and PersistentVolumeClaims.

use serde_json::{Value, json};

fn is_true(type_: &str) -> Value {
    json!({"type": type_, "status": "True"})
}

/// Returns the value of a field of the status, or the default if it is not set.
fn or(object: &Value, field: &str, default: Value) -> Value {
    let live = &object["status"][field];
    if live.is_null() { default } else { live.clone() }
}

/// Returns whether a Job runs: it is not suspended and has not ended.
pub(super) fn is_running(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array().into_iter().flatten();
    let has_ended = conditions
        .filter(|one| one["status"] == "True")
        .any(|one| one["type"] == "Complete" || one["type"] == "Failed");
    job["spec"]["suspend"] != true && !has_ended
}

pub(super) fn job_observed(job: &Value, now: &str) -> Value {
    json!({"startTime": or(job, "startTime", json!(now)), "active": or(&json!({"status": job["spec"]}), "parallelism", json!(1)), "ready": 0})
}

pub(super) fn job_ready(job: &Value, now: &str) -> Value {
    json!({
        "startTime": or(job, "startTime", json!(now)), "completionTime": or(job, "completionTime", json!(now)),
        "active": null, "ready": 0, "succeeded": job["spec"]["completions"].as_i64().unwrap_or(1),
        "conditions": [is_true("SuccessCriteriaMet"), is_true("Complete")],
    })
}

/// Returns the status of each container of a list.
fn containers(pod: &Value, list: &str) -> Vec<Value> {
    let status = |container: &Value| {
        json!({
            "name": container["name"], "image": container["image"], "imageID": "", "ready": true, "started": true,
            "restartCount": 0, "state": {"running": {"startedAt": pod["metadata"]["creationTimestamp"]}},
        })
    };
    pod["spec"][list].as_array().into_iter().flatten().map(status).collect()
}

pub(super) fn pod_observed(pod: &Value, now: &str) -> Value {
    let not_ready = json!({"type": "Ready", "status": "False", "reason": "ContainersNotReady"});
    json!({
        "phase": "Pending", "startTime": or(pod, "startTime", json!(now)),
        "conditions": [is_true("PodScheduled"), not_ready],
    })
}

pub(super) fn pod_ready(pod: &Value, now: &str) -> Value {
    let conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(is_true);
    json!({
        "phase": "Running", "startTime": or(pod, "startTime", json!(now)), "conditions": conditions,
        "containerStatuses": containers(pod, "containers"),
    })
}

pub(super) fn claim_observed(_: &Value, _: &str) -> Value {
    json!({"phase": "Pending"})
}

pub(super) fn claim_ready(claim: &Value, _: &str) -> Value {
    json!({
        "phase": "Bound", "accessModes": claim["spec"]["accessModes"],
        "capacity": claim["spec"]["resources"]["requests"],
    })
}
