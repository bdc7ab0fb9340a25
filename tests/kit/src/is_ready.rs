//! Whether an object is ready, for functions that wait.

use serde::Serialize;

/// Whether the condition Ready of the object is True for its current generation, and neither Reconciling nor Stalled is True.
///
/// It reads `status.conditions`, so the object may have any type. An object without conditions is not ready.
///
/// ```
/// use evenkeel_testkit::is_ready;
/// use serde_json::json;
///
/// let ready = json!({ "type": "Ready", "status": "True", "reason": "Succeeded", "message": "", "observedGeneration": 1,
///     "lastTransitionTime": "2026-01-01T00:00:00Z" });
/// let mut bucket = json!({ "metadata": { "generation": 1 }, "status": { "conditions": [ready] } });
/// assert!(is_ready(&bucket));
/// bucket["metadata"]["generation"] = json!(2);
/// assert!(!is_ready(&bucket), "its spec has changed");
/// ```
///
/// With [`until`](crate::until), it waits for an object: `until(&buckets, "photos", LONG, is_ready).await`.
pub fn is_ready(object: &impl Serialize) -> bool {
    let Ok(object) = serde_json::to_value(object) else { return false };
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    let find = |type_: &str| conditions.clone().find(|condition| condition["type"] == type_);
    let is_true = |type_: &str| find(type_).is_some_and(|condition| condition["status"] == "True");
    let observed = find("Ready").map(|ready| &ready["observedGeneration"]).filter(|observed| !observed.is_null());
    let is_current = observed.is_none_or(|observed| *observed == object["metadata"]["generation"]);
    is_true("Ready") && !is_true("Reconciling") && !is_true("Stalled") && is_current
}
