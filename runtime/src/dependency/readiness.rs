//! Readiness of an object on which others depend, by the rules of kstatus.

use kube::core::DynamicObject;
use serde_json::Value;

use super::object_status::{ObjectStatus, Observed, StatusHints};
use crate::kind::KindInfo;

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

/// Determines the readiness of an object.
///
/// It is ready if its [status](super::object_status) is [`Current`](ObjectStatus::Current), unless its Ready condition is set for another
/// generation. So a Deployment is ready when its replicas are available, and a Secret as soon as it exists.
#[must_use]
pub fn readiness(object: &Value) -> Readiness {
    of(Observed::of_json(object))
}

/// The same as [`readiness`], for a decoded object of this kind.
pub(crate) fn readiness_of(object: &DynamicObject, kind: &KindInfo) -> Readiness {
    of(Observed::of(object, kind))
}

fn of(object: Observed<'_>) -> Readiness {
    match object.status(&StatusHints::default()) {
        ObjectStatus::Current if object.ready_generation().is_some_and(|of| Some(of) != object.generation) => {
            Readiness::NotReady(format!("Ready is not for generation {}", object.generation_text()))
        }
        ObjectStatus::Current => Readiness::Ready,
        other => Readiness::NotReady(other.to_string()),
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
        assert!(!readiness(&object(0, &ready)).is_ready(), "its controller has not seen it");
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
