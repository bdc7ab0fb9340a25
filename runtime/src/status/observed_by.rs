//! The record of a second reconciler of a kind in the status.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::inputs::unless_managed;
use crate::kind::from_tree;

/// The field of a status.
type Records = BTreeMap<String, ObservedBy>;

/// The state of a further reconciler of the kind, in `status.observedBy` under its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ObservedBy {
    /// The generation of the spec that was last reconciled to a final outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// Whether the reconciler is stalled: it does not retry until a person intervenes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stalled: bool,
    /// Hash of the controller's configuration for the kind at the last reconcile.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wiring: String,
    /// Hash of the inputs of the last reconcile; `not-final` if that reconcile is waiting, failed, or will run again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The objects that the last reconcile read by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The policy of the last reconcile: `manage`, `skip`, `detach-on-delete`, or `unknown`.
    // In memory `manage` is an empty text, as nearly all objects have it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "unless_managed")]
    pub policy: String,
    /// Labels and annotations that the controller set itself: `labels/example.com/tier`. A change of one triggers a reconcile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<String>,
    /// Whether the controller has handled the object as a new one; false until that has succeeded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
    /// The status fields that the reconciler wrote and therefore owns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The token of the last reconcile that an annotation requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
    /// The last handled tokens of requested actions, by action.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub last_handled_actions: BTreeMap<String, String>,
}

/// Reads the field. Most objects have none, so that it is decoded from a tree, whose decoder is compiled here and not once in each program.
///
/// # Errors
/// The field does not fit the type.
pub fn read_observed_by<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, ObservedBy>, D::Error> {
    records(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
}

fn records(tree: &Value) -> serde_json::Result<Records> {
    from_tree(tree)
}

/// The schema of the field, the same as a derive would generate.
pub fn observed_by_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<Records>()
}
