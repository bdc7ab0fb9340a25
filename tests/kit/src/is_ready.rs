//! Whether an object is ready, for functions that wait.

use evenkeel::condition::{self, Condition, READY};
use serde::Serialize;
use serde_json::Value;

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
    let conditions = serde_json::from_value::<Vec<Condition>>(object["status"]["conditions"].clone());
    let conditions = conditions.unwrap_or_default();
    let observed = condition::find(&conditions, READY).and_then(|ready| ready.observed_generation);
    let generation = object.pointer("/metadata/generation").and_then(Value::as_i64);
    condition::is_ready(&conditions) && (observed.is_none() || observed == generation)
}
