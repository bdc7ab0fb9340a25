//! What a reconciler keeps in the status about its last pass: at the root, or, as a second one of its kind, under its own name.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{STALLED, is_true};
use crate::request::Receipts;
use crate::status::{ObservedInputs, StatusContract};
use crate::wiring::Wiring;

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
    /// Hash of all that the last pass depended on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The objects that the last pass asked for by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The policy of the last pass, where it was not `manage`: `skip`, `detach-on-delete`, or `unknown`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy: String,
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

/// What a reconciler finds of its last pass, wherever it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observed {
    pub(crate) generation: Option<i64>,
    pub(crate) stalled: bool,
    pub(crate) inputs: Option<ObservedInputs>,
    pub(crate) receipts: Receipts,
    fields: Fields,
}

/// Which fields of the author's status a reconciler writes.
#[derive(Clone, Debug, PartialEq)]
enum Fields {
    /// All but those of the others.
    AllBut(BTreeSet<String>),
    These(BTreeSet<String>),
}

impl Default for Fields {
    fn default() -> Self {
        Self::AllBut(BTreeSet::new())
    }
}

impl Observed {
    pub(crate) fn of<S: StatusContract>(status: &S, wiring: &Wiring) -> Self {
        let none = BTreeMap::new();
        let by = status.observed_by().unwrap_or(&none);
        if wiring.summary.is_some() {
            return by.get(wiring.name).cloned().unwrap_or_default().into();
        }
        Self {
            generation: status.observed_generation(),
            stalled: is_true(status.conditions(), STALLED),
            inputs: status.observed_inputs().cloned(),
            receipts: Receipts::of(status, wiring),
            fields: Fields::AllBut(by.values().flat_map(|other| other.fields.clone()).collect()),
        }
    }

    /// Whether the field was written by this reconciler.
    pub(crate) fn wrote(&self, field: &str) -> bool {
        match &self.fields {
            Fields::AllBut(others) => !others.contains(field),
            Fields::These(own) => own.contains(field),
        }
    }
}

impl From<ObservedBy> for Observed {
    fn from(by: ObservedBy) -> Self {
        let ObservedBy { generation, stalled, wiring, digest, references, policy, fields, .. } = by;
        let is_known = !wiring.is_empty() || !policy.is_empty();
        Self {
            generation,
            stalled,
            inputs: is_known.then_some(ObservedInputs { wiring, digest, references, policy }),
            receipts: Receipts { reconcile: by.last_handled_reconcile_at, actions: by.last_handled_actions },
            fields: Fields::These(fields.into_iter().collect()),
        }
    }
}
