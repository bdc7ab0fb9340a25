//! The status as it is sent: built from the draft, never copied from the object.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::condition::Condition;
use crate::request::Receipts;
use crate::status::ObservedInputs;

/// What is written to the status: built, never copied. Foreign conditions and unknown fields are never in it.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusIntent {
    /// The generation that counts as observed; `None` leaves the default.
    pub observed_generation: Option<i64>,
    /// Declared conditions and Stalled, Reconciling, Ready, in the order as sent.
    pub conditions: Vec<Condition>,
    /// The author's fields.
    pub fields: BTreeMap<String, Value>,
    /// What the pass saw.
    pub observed_inputs: Option<ObservedInputs>,
    /// Which requests were handled.
    pub receipts: Receipts,
}

impl StatusIntent {
    /// The `status` stanza as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut status: serde_json::Map<String, Value> = self.fields.clone().into_iter().collect();
        status.insert("conditions".into(), json!(self.conditions));
        if let Some(generation) = self.observed_generation {
            status.insert("observedGeneration".into(), json!(generation));
        }
        if let Some(inputs) = &self.observed_inputs {
            status.insert("observedInputs".into(), json!(inputs));
        }
        if let Some(token) = &self.receipts.reconcile {
            status.insert("lastHandledReconcileAt".into(), json!(token));
        }
        Value::Object(status)
    }
}
