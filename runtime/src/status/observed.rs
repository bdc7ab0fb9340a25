//! The record of a reconciler's last pass in the status: at the root, or for a second reconciler of the kind under its own name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::erased::AnyStatus;
use super::inputs::ObservedInputs;
pub use super::observed_by::ObservedBy;
use super::request::Receipts;
use crate::condition::{STALLED, is_true};
use crate::wiring::Wiring;

/// The record of a reconciler's last pass, read from either location.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Observed<'s> {
    pub(crate) generation: Option<i64>,
    pub(crate) stalled: bool,
    pub(crate) inputs: Option<Cow<'s, ObservedInputs>>,
    pub(crate) receipts: Receipts,
    written: Written,
}

/// The fields of the author's status that a reconciler writes.
#[derive(Clone, Debug, PartialEq)]
enum Written {
    /// All fields except those of the other reconcilers.
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

    /// The same, independent of the lifetime of the status.
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
        let ObservedBy { generation, stalled, wiring, digest, references, policy, claimed, added, fields, .. } = by;
        let is_known = !wiring.is_empty() || !policy.is_empty();
        Self {
            generation,
            stalled,
            inputs: is_known.then_some(Cow::Owned(ObservedInputs {
                wiring,
                digest,
                references,
                policy,
                claimed,
                added,
            })),
            receipts: Receipts { reconcile: by.last_handled_reconcile_at, actions: by.last_handled_actions },
            written: Written::These(fields),
        }
    }
}
