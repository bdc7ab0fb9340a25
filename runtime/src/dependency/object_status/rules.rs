//! The rules of kstatus for every kind, followed by those of one kind and by the hints.

use serde_json::Value;

use super::hints::StatusHints;
use super::kinds;
use super::parts::Observed;
use crate::object_status::ObjectStatus;

/// Determines the status of an object.
///
/// These rules hold for every kind, in this order:
///
/// 1. An object with a deletion timestamp is Terminating.
/// 2. If its observed generation differs from its generation, it is InProgress.
/// 3. It is InProgress if its condition Reconciling is True, and Failed if its condition Stalled is True.
///
/// Then the rules of its kind apply to Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, Pod, PersistentVolumeClaim, Service,
/// PodDisruptionBudget, CustomResourceDefinition and APIService. An object of another kind is InProgress if its condition Ready is not True.
/// Without that condition it is Current, unless the `hints` say that the condition is always there.
///
/// The rules differ from kstatus in two kinds: a Job is Current when it is complete, not when it starts, and a Pod that has failed is Failed.
///
/// ```
/// use evenkeel::dependency::{ObjectStatus, StatusHints, object_status};
/// use serde_json::json;
///
/// let certificate = json!({ "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": { "generation": 1 } });
/// assert_eq!(object_status(&certificate, &StatusHints::default()), ObjectStatus::Current);
/// // The kind always sets the condition Ready, so an object without it is not finished.
/// let hints: StatusHints = "has-ready-condition".parse()?;
/// assert_eq!(object_status(&certificate, &hints).to_string(), "it has no condition Ready yet");
/// # Ok::<(), evenkeel::dependency::InvalidStatusHint>(())
/// ```
#[must_use]
pub fn object_status(object: &Value, hints: &StatusHints) -> ObjectStatus {
    Observed::of_json(object).status(hints)
}

impl Observed<'_> {
    pub(in crate::dependency) fn status(self, hints: &StatusHints) -> ObjectStatus {
        match self.general(hints).or_else(|| kinds::status(self)).unwrap_or_else(|| self.of_ready()) {
            ObjectStatus::Current => hints.missing(self).map_or(ObjectStatus::Current, ObjectStatus::InProgress),
            other => other,
        }
    }

    /// The rules for every kind; `None`: they leave it to the rules of the kind.
    fn general(self, hints: &StatusHints) -> Option<ObjectStatus> {
        if self.is_deleted {
            return Some(ObjectStatus::Terminating);
        }
        // Some kinds set the generation only in the condition.
        let of_ready = || self.ready_generation().filter(|_| hints.has_observed_generation);
        let observed = self.observed_generation().or_else(of_ready);
        let is_unset = observed.is_none() && hints.has_observed_generation;
        if is_unset || observed.is_some() && observed != self.generation {
            return Some(ObjectStatus::InProgress(format!(
                "generation {} is not observed yet",
                self.generation_text()
            )));
        }
        if self.has("Reconciling", "True") {
            return Some(ObjectStatus::InProgress("it is Reconciling".into()));
        }
        self.has("Stalled", "True").then(|| ObjectStatus::Failed("it is Stalled".into()))
    }

    fn of_ready(self) -> ObjectStatus {
        match self.condition("Ready").filter(|ready| ready["status"] != "True") {
            Some(ready) => {
                let (status, reason) = (ready["status"].as_str(), ready["reason"].as_str());
                let (status, reason) = (status.unwrap_or("Unknown"), reason.unwrap_or("no reason"));
                ObjectStatus::InProgress(format!("Ready is {status} ({reason})"))
            }
            None => ObjectStatus::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::DynamicObject;
    use serde_json::json;

    use super::*;
    use crate::kind::KindInfo;

    fn status(object: &Value) -> ObjectStatus {
        object_status(object, &StatusHints::default())
    }

    #[test]
    fn the_general_rules_come_before_those_of_a_kind() {
        let job = |meta: &Value, conditions: &Value| {
            let status = json!({ "observedGeneration": 2, "conditions": conditions });
            json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "status": status })
        };
        let complete = json!([{ "type": "Complete", "status": "True" }]);
        assert_eq!(status(&job(&json!({ "generation": 2 }), &complete)), ObjectStatus::Current);
        let deleted = json!({ "generation": 2, "deletionTimestamp": "2026-01-01T00:00:00Z" });
        assert_eq!(status(&job(&deleted, &complete)), ObjectStatus::Terminating);
        let outdated = status(&job(&json!({ "generation": 3 }), &complete));
        assert_eq!(outdated, ObjectStatus::InProgress("generation 3 is not observed yet".into()));
        for (type_, wanted) in [
            ("Reconciling", ObjectStatus::InProgress("it is Reconciling".into())),
            ("Stalled", ObjectStatus::Failed("it is Stalled".into())),
        ] {
            let conditions = json!([complete[0], { "type": type_, "status": "True" }]);
            assert_eq!(status(&job(&json!({ "generation": 2 }), &conditions)), wanted);
        }
    }

    #[test]
    fn the_kind_of_an_item_of_a_list_comes_from_its_relation() {
        let item = json!({ "metadata": { "name": "x" }, "status": { "phase": "Pending" } });
        assert_eq!(status(&item), ObjectStatus::Current, "of no known kind");
        let item: DynamicObject = serde_json::from_value(item).unwrap();
        let kind = KindInfo::of::<k8s_openapi::api::core::v1::PersistentVolumeClaim>();
        let status = Observed::of(&item, &kind).status(&StatusHints::default());
        assert_eq!(status.to_string(), "it is Pending, not Bound");
    }
}
