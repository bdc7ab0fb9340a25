//! The conditions in the status of a CRD.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::field::{items, text};

/// A condition as the CRD controllers write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) type_: &'static str,
    pub(super) holds: bool,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Condition {
    /// With status True.
    pub(super) fn met(type_: &'static str, reason: &'static str, message: impl Into<String>) -> Self {
        Self { type_, holds: true, reason, message: message.into() }
    }

    /// With status False.
    pub(super) fn unmet(type_: &'static str, reason: &'static str, message: impl Into<String>) -> Self {
        Self { type_, holds: false, reason, message: message.into() }
    }
}

pub(super) const NAMES_ACCEPTED: &str = "NamesAccepted";
pub(super) const ESTABLISHED: &str = "Established";
pub(super) const TERMINATING: &str = "Terminating";
pub(super) const APPROVED: &str = "KubernetesAPIApprovalPolicyConformant";

/// Whether the CRD has this condition with status True.
pub(super) fn holds(crd: &Value, type_: &str) -> bool {
    find(items(crd, "/status/conditions"), type_).is_some_and(|found| text(found, "/status") == "True")
}

/// Sets or adds a condition; the transition time changes only with the status.
pub(super) fn set(conditions: &mut Vec<Value>, condition: &Condition, now: Timestamp) {
    let status = if condition.holds { "True" } else { "False" };
    let old = conditions.iter().position(|old| text(old, "/type") == condition.type_);
    let since = old
        .and_then(|at| conditions.get(at))
        .filter(|old| text(old, "/status") == status)
        .map_or_else(|| json!(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()), |old| old["lastTransitionTime"].clone());
    let new = json!({
        "type": condition.type_,
        "status": status,
        "lastTransitionTime": since,
        "reason": condition.reason,
        "message": condition.message,
    });
    match old.and_then(|at| conditions.get_mut(at)) {
        Some(old) => *old = new,
        None => conditions.push(new),
    }
}

fn find<'a>(conditions: &'a [Value], type_: &str) -> Option<&'a Value> {
    conditions.iter().find(|condition| text(condition, "/type") == type_)
}
