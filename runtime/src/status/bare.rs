//! The status of a kind that has none of ours. The cache holds it in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::contract::StatusContract;
use super::inputs::ObservedInputs;
use super::observed_by::{ObservedBy, read_observed_by};
use crate::condition::Condition;

/// The status of a [`Bare`](crate::Bare) object: the fields of the framework, without fields of the author.
///
/// It is never written to the object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BareStatus {
    pub(crate) observed_generation: Option<i64>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) observed_inputs: Option<ObservedInputs>,
    last_handled_reconcile_at: Option<String>,
    last_handled_actions: BTreeMap<String, String>,
    #[serde(deserialize_with = "read_observed_by")]
    observed_by: BTreeMap<String, ObservedBy>,
}

impl StatusContract for BareStatus {
    type Draft = Self;

    fn observed_generation(&self) -> Option<i64> {
        self.observed_generation
    }

    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn observed_inputs(&self) -> Option<&ObservedInputs> {
        self.observed_inputs.as_ref()
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        self.last_handled_reconcile_at.as_deref()
    }

    fn observed_by(&self) -> Option<&BTreeMap<String, ObservedBy>> {
        Some(&self.observed_by)
    }

    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>> {
        Some(&self.last_handled_actions)
    }
}

/// What the cache holds of a bare object beside the object itself.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct BareState {
    /// The hash of the object without its metadata.
    pub(crate) content: u64,
    /// The status after the last pass; `None` before the first pass of this process.
    pub(crate) status: Option<Arc<BareStatus>>,
}
