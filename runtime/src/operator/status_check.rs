//! Checks that a status stores the fields of the framework. `#[status]` guarantees it; a hand-written `StatusContract` may not.

use serde::Serialize;
use serde_json::{Value, json};

use super::error::{Error, Reason, Result};
use crate::kind::from_tree;
use crate::pipeline::object::Primary;
use crate::pipeline::reconciler::Reconciler;
use crate::status::erased::AnyStatus;
use crate::status::{StatusContract, used_fields};
use crate::wiring::{KindInfo, Wiring};

/// Rejects a status that loses a field: the next pass would lack the state of the last one.
pub(super) fn check<R: Reconciler>() -> Result {
    let defect = defect::<<R::Object as Primary>::Status>(&R::WIRING);
    defect.map_or(Ok(()), |defect| {
        let kind = KindInfo::of::<R::Object>().resource.kind.clone();
        let headline = format!("the status of {kind}, which {} reconciles, {defect}", R::WIRING.name);
        Err(Error::new(Reason::Setup, headline, "put `#[evenkeel::status]` on its struct: it adds the fields"))
    })
}

fn defect<S: StatusContract>(wiring: &Wiring) -> Option<String> {
    if let Err(error) = from_tree::<S>(&json!({})) {
        return Some(format!("cannot be decoded from an empty object: {error}"));
    }
    let written = sample();
    let status: S = match from_tree(&written) {
        Ok(status) => status,
        Err(error) => return Some(format!("cannot be decoded from its own fields: {error}")),
    };
    lost(wiring, &written, &seen(&status), &serde_json::to_value(&status).unwrap_or_default())
}

/// The fields that are lost. Not generic, as the next functions, so that it is compiled once for all kinds.
fn lost(wiring: &Wiring, written: &Value, seen: &Value, stored: &Value) -> Option<String> {
    let is_lost = |field: &&str| seen[field] != written[field] || stored[field] != written[field];
    let lost: Vec<&str> = used_fields(wiring).filter(is_lost).collect();
    (!lost.is_empty()).then(|| format!("does not preserve {}", lost.join(", ")))
}

/// A value for each field of the framework.
fn sample() -> Value {
    json!({
        "observedGeneration": 7,
        "conditions": [{ "type": "Kept", "status": "True", "reason": "Asked", "message": "whether it is kept" }],
        "observedInputs": { "wiring": "a", "digest": "b", "references": ["v1/Secret/team-a/token"] },
        "lastHandledReconcileAt": "now",
        "lastHandledActions": { "force": "now" },
        "observedBy": { "other": { "generation": 7 } },
    })
}

/// The fields as the contract returns them.
fn seen(status: &dyn AnyStatus) -> Value {
    json!({
        "observedGeneration": status.observed_generation(),
        "conditions": status.conditions(),
        "observedInputs": status.observed_inputs(),
        "lastHandledReconcileAt": status.last_handled_reconcile_at(),
        "lastHandledActions": to_json(status.last_handled_actions()),
        "observedBy": to_json(status.observed_by()),
    })
}

fn to_json(value: Option<&impl Serialize>) -> Value {
    value.map(|value| serde_json::to_value(value).unwrap_or_default()).unwrap_or_default()
}
