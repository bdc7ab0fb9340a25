//! Content of a patch: the part of the document, and its difference to the last read.

use std::fmt;

use serde_json::{Map, Value};

use crate::api::ApiError;
use crate::condition::Condition;
use crate::condition::patch::Conflict;

/// Options of a patch at the end or in the middle of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchOptions {
    /// The condition types that the controller owns and may overwrite. A change of any other type by another writer is a conflict.
    pub owned: Vec<String>,
    /// Whether the controller may overwrite all condition types.
    pub force: bool,
    /// The field manager.
    pub field_owner: Option<String>,
    /// Whether the patch sets `status.observedGeneration` to the generation that was read.
    pub observed_generation: bool,
}

impl PatchOptions {
    /// Records the generation if there is a condition: without an observation there is no observed generation.
    pub fn observe(&mut self, conditions: &[Condition]) {
        self.observed_generation |= !conditions.is_empty();
    }
}

/// Why a patch was not written, or only in part.
#[derive(Debug)]
#[non_exhaustive]
pub enum PatchError {
    /// The kind of the object differs from the one that was read.
    OtherKind {
        /// The kind that was read.
        read: String,
        /// The kind to write.
        written: String,
    },
    /// Another writer changed a condition that the controller does not own. Nothing was written.
    Conditions(Box<Conflict>),
    /// The API server rejected the request, or it failed.
    Api(ApiError),
    /// The object cannot be serialized, or the response cannot be parsed.
    Json(serde_json::Error),
}

impl PatchError {
    /// Whether the object does not exist any more.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Api(ApiError::NotFound(_)))
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKind { read, written } => write!(f, "a {read} was read, and a {written} was to be written"),
            Self::Conditions(conflict) => conflict.fmt(f),
            Self::Api(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::OtherKind { .. } => None,
            Self::Conditions(conflict) => Some(conflict),
            Self::Api(error) => error.source(),
            Self::Json(error) => Some(error),
        }
    }
}

impl From<ApiError> for PatchError {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

impl From<serde_json::Error> for PatchError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// The part of a document that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Metadata and spec.
    Spec,
    /// The status. Metadata is included, since it holds the resource version for optimistic locking.
    Status,
}

/// How the conditions are patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionList {
    /// Merged by type with the conditions of other writers.
    Merged,
    /// Like any other field, for types with their own kind of conditions.
    Plain,
}

/// The part of the document that a write changes, with `apiVersion`, `kind` and `metadata`.
#[must_use]
pub fn focus(document: &Value, focus: Focus, conditions: ConditionList) -> Value {
    let part = match focus {
        Focus::Spec => "spec",
        Focus::Status => "status",
    };
    let is_relevant = |name: &str| [part, "apiVersion", "kind", "metadata"].contains(&name);
    let fields = document.as_object().into_iter().flatten().filter(|(name, _)| is_relevant(name));
    let mut focused: Map<String, Value> = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
    if let (ConditionList::Merged, Some(Value::Object(status))) = (conditions, focused.get_mut("status")) {
        status.remove("conditions");
    }
    Value::Object(focused)
}

/// The JSON merge patch (RFC 7386) from `before` to `after`; `None` if they are equal.
///
/// ```
/// use evenkeel::flux::merge_patch;
/// use serde_json::json;
/// let patch = merge_patch(&json!({"a": 1, "b": {"c": 2}}), &json!({"b": {"c": 3}}));
/// assert_eq!(patch, Some(json!({"a": null, "b": {"c": 3}})));
/// ```
#[must_use]
pub fn merge_patch(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let changed = after.iter().filter_map(|(name, value)| {
        let patch = before.get(name).map_or_else(|| Some(value.clone()), |before| merge_patch(before, value));
        patch.map(|patch| (name.clone(), patch))
    });
    let removed = before.keys().filter(|name| !after.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let patch: Map<String, Value> = changed.chain(removed).collect();
    (!patch.is_empty()).then_some(Value::Object(patch))
}
