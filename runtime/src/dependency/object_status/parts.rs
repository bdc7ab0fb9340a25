//! The parts of an object that determine its status.

use kube::core::DynamicObject;
use serde_json::Value;

use crate::kind::KindInfo;

/// The parts of an object that determine its status.
#[derive(Clone, Copy)]
pub(in crate::dependency) struct Observed<'o> {
    pub(in crate::dependency) group: &'o str,
    pub(in crate::dependency) kind: &'o str,
    pub(super) is_deleted: bool,
    pub(in crate::dependency) generation: Option<i64>,
    pub(in crate::dependency) spec: &'o Value,
    pub(in crate::dependency) status: &'o Value,
}

impl<'o> Observed<'o> {
    pub(in crate::dependency) fn of_json(object: &'o Value) -> Self {
        let meta = &object["metadata"];
        let api_version = object["apiVersion"].as_str().unwrap_or_default();
        Self {
            group: api_version.split_once('/').map_or("", |(group, _)| group),
            kind: object["kind"].as_str().unwrap_or_default(),
            is_deleted: !meta["deletionTimestamp"].is_null(),
            generation: meta["generation"].as_i64(),
            spec: &object["spec"],
            status: &object["status"],
        }
    }

    /// An object of this kind, as items of a list do not contain it.
    pub(in crate::dependency) fn of(object: &'o DynamicObject, kind: &'o KindInfo) -> Self {
        Self {
            group: &kind.resource.group,
            kind: &kind.resource.kind,
            is_deleted: object.metadata.deletion_timestamp.is_some(),
            generation: object.metadata.generation,
            spec: &object.data["spec"],
            status: &object.data["status"],
        }
    }

    pub(in crate::dependency) fn condition(self, type_: &str) -> Option<&'o Value> {
        self.status["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_)
    }

    /// Whether the condition has this status.
    pub(in crate::dependency) fn has(self, type_: &str, status: &str) -> bool {
        self.condition(type_).is_some_and(|condition| condition["status"] == status)
    }

    /// The generation for which the status was written.
    pub(in crate::dependency) fn observed_generation(self) -> Option<i64> {
        self.status["observedGeneration"].as_i64()
    }

    /// The generation for which the condition Ready was set.
    pub(in crate::dependency) fn ready_generation(self) -> Option<i64> {
        self.condition("Ready")?["observedGeneration"].as_i64()
    }

    /// The generation in messages.
    pub(in crate::dependency) fn generation_text(self) -> String {
        self.generation.map_or_else(|| "null".to_owned(), |generation| generation.to_string())
    }
}
