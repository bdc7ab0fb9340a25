//! What a reconciler keeps in the status about its last pass: at the root, or, as a second one of its kind, under its own name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{STALLED, is_true};
use crate::status::erased::AnyStatus;
use crate::status::request::Receipts;
use crate::status::{ObservedInputs, unless_managed};
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

/// What a reconciler finds of its last pass, wherever it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observed<'s> {
    pub(crate) generation: Option<i64>,
    pub(crate) stalled: bool,
    pub(crate) inputs: Option<Cow<'s, ObservedInputs>>,
    pub(crate) receipts: Receipts,
    written: Written,
}

/// Which fields of the author's status a reconciler writes.
#[derive(Clone, Debug, PartialEq)]
enum Written {
    /// All but those of the others.
    AllBut(Vec<String>),
    These(Vec<String>),
}

impl Default for Written {
    fn default() -> Self {
        Self::AllBut(Vec::new())
    }
}

impl Written {
    fn beside(others: &BTreeMap<String, ObservedBy>) -> Self {
        Self::AllBut(others.values().flat_map(|other| other.fields.clone()).collect())
    }
}

impl<'s> Observed<'s> {
    pub(crate) fn of(status: &'s dyn AnyStatus, wiring: &Wiring) -> Self {
        let by = status.observed_by();
        if wiring.summary.is_some() {
            return by.and_then(|by| by.get(wiring.name)).cloned().unwrap_or_default().into();
        }
        Self {
            generation: status.observed_generation(),
            stalled: is_true(status.conditions(), STALLED),
            inputs: status.observed_inputs().map(Cow::Borrowed),
            receipts: Receipts::in_status(status, wiring),
            written: by.map(Written::beside).unwrap_or_default(),
        }
    }

    /// The same, whatever becomes of the status.
    pub(crate) fn into_owned(self) -> Observed<'static> {
        let Self { generation, stalled, inputs, receipts, written } = self;
        let inputs = inputs.map(|inputs| Cow::Owned(inputs.into_owned()));
        Observed { generation, stalled, inputs, receipts, written }
    }

    /// Whether the field was written by this reconciler.
    pub(crate) fn wrote(&self, field: &str) -> bool {
        let holds = |names: &[String]| names.iter().any(|name| name == field);
        match &self.written {
            Written::AllBut(others) => !holds(others),
            Written::These(own) => holds(own),
        }
    }
}

impl From<ObservedBy> for Observed<'_> {
    fn from(by: ObservedBy) -> Self {
        let ObservedBy { generation, stalled, wiring, digest, references, policy, claimed, fields, .. } = by;
        let is_known = !wiring.is_empty() || !policy.is_empty();
        Self {
            generation,
            stalled,
            inputs: is_known.then_some(Cow::Owned(ObservedInputs { wiring, digest, references, policy, claimed })),
            receipts: Receipts { reconcile: by.last_handled_reconcile_at, actions: by.last_handled_actions },
            written: Written::These(fields),
        }
    }
}
