//! Readiness of an object on which others depend, by the rules of kstatus.

use kube::core::DynamicObject;
use serde_json::Value;

/// Whether an object is ready, from the point of view of its dependents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Readiness {
    /// The actual state of the object matches its spec.
    Ready,
    /// The object is not ready. Contains the cause.
    NotReady(String),
}

impl Readiness {
    /// Whether the object is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        *self == Self::Ready
    }
}

/// Determines the readiness of an object by the rules of kstatus.
///
/// An object is not ready in any of these cases:
///
/// - It is being deleted.
/// - Its observed generation differs from its generation, since its conditions are then outdated.
/// - It is Reconciling or Stalled.
/// - Its Ready condition is not True, or is set for another generation.
///
/// An object without any of these fields, such as a Secret, is ready as soon as it exists.
#[must_use]
pub fn readiness(object: &Value) -> Readiness {
    let (meta, status) = (&object["metadata"], &object["status"]);
    of_status(!meta["deletionTimestamp"].is_null(), meta["generation"].as_i64(), status)
}

/// The same as [`readiness`], for a decoded object.
pub(crate) fn readiness_of(object: &DynamicObject) -> Readiness {
    let meta = &object.metadata;
    of_status(meta.deletion_timestamp.is_some(), meta.generation, &object.data["status"])
}

fn of_status(is_deleted: bool, generation: Option<i64>, status: &Value) -> Readiness {
    if is_deleted {
        return Readiness::NotReady("it is being deleted".into());
    }
    let observed = &status["observedGeneration"];
    let number = || generation.map_or_else(|| "null".to_owned(), |generation| generation.to_string());
    if !observed.is_null() && observed.as_i64() != generation {
        return Readiness::NotReady(format!("generation {} is not observed yet", number()));
    }
    let of = |type_: &str| status["conditions"].as_array()?.iter().find(|c| c["type"] == type_);
    for type_ in ["Reconciling", "Stalled"] {
        if of(type_).is_some_and(|c| c["status"] == "True") {
            return Readiness::NotReady(format!("it is {type_}"));
        }
    }
    match of("Ready") {
        Some(ready) if ready["status"] != "True" => {
            let reason = ready["reason"].as_str().unwrap_or("no reason");
            Readiness::NotReady(format!("Ready is {} ({reason})", ready["status"].as_str().unwrap_or("Unknown")))
        }
        Some(ready) if ready["observedGeneration"].as_i64().is_some_and(|of| Some(of) != generation) => {
            Readiness::NotReady(format!("Ready is not for generation {}", number()))
        }
        _ => Readiness::Ready,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(observed: i64, conditions: &Value) -> Value {
        json!({ "metadata": { "generation": 2 }, "status": { "observedGeneration": observed, "conditions": conditions } })
    }

    #[test]
    fn ready_of_an_earlier_generation_does_not_count() {
        let ready = json!([{ "type": "Ready", "status": "True", "observedGeneration": 2 }]);
        assert!(readiness(&object(2, &ready)).is_ready());
        assert!(!readiness(&object(1, &ready)).is_ready());
        let stale = json!([{ "type": "Ready", "status": "True", "observedGeneration": 1 }]);
        assert_eq!(readiness(&object(2, &stale)), Readiness::NotReady("Ready is not for generation 2".into()));
    }

    #[test]
    fn a_reconciling_stalled_or_deleted_object_is_not_ready() {
        for type_ in ["Reconciling", "Stalled"] {
            let busy = json!([{ "type": "Ready", "status": "True" }, { "type": type_, "status": "True" }]);
            assert!(!readiness(&object(2, &busy)).is_ready(), "{type_}");
        }
        assert!(!readiness(&object(2, &json!([{ "type": "Ready", "status": "Unknown" }]))).is_ready());
        assert!(!readiness(&json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } })).is_ready());
    }

    #[test]
    fn an_object_without_status_is_ready() {
        assert!(readiness(&json!({ "metadata": { "name": "token" }, "data": {} })).is_ready());
    }
}
