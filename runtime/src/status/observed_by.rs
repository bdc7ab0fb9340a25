//! The record of a second reconciler of a kind in the status.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::inputs::unless_managed;

/// What a second reconciler of a kind keeps, in `status.observedBy` under its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ObservedBy {
    /// The generation that its last final outcome is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// Only a person can help: it does not run again by itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stalled: bool,
    /// Hash of the wiring that ran last.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wiring: String,
    /// Hash of all that the last pass depended on; `not-final` after a pass that waits, failed or is to run again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The objects that the last pass asked for by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The policy of the last pass: `manage`, `skip`, `detach-on-delete`, or `unknown`.
    // In memory `manage` is an empty text, as nearly all objects have it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "unless_managed")]
    pub policy: String,
    /// Labels and annotations that the controller set itself: `labels/example.com/tier`. A change of one triggers a reconcile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<String>,
    /// The fields of the author's status that it wrote: they are its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The token of the last pass that was asked for by annotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_handled_reconcile_at: Option<String>,
    /// The tokens of its one-shot actions that were asked for last, by action.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub last_handled_actions: BTreeMap<String, String>,
}
