//! kstatus: how observers such as Argo CD, Flux and Helm interpret the status of an object.
//!
//! [`compute()`] returns the status that an observer computes. [`check()`] finds conditions that mislead observers.

mod check;
mod object;
mod rule;
#[cfg(test)]
mod tests;

pub use check::{Mode, Violation, check};
pub use rule::Rule;

use object::Object;
use serde_json::Value;

/// The status of an object as an observer computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observed {
    /// The actual state matches the spec.
    Current,
    /// The controller is still working on the spec.
    InProgress,
    /// The object needs an intervention.
    Failed,
    /// The object is being deleted.
    Terminating,
}

/// Computes the status of an object by the generic rules of kstatus.
///
/// Observers apply these rules to all kinds without a rule of their own.
///
/// An object without a status is `Current`, so observers would regard a new object as finished. To prevent this, set the
/// default of `status.observedGeneration` to -1 in the schema.
#[must_use]
pub fn compute(obj: &Value) -> Observed {
    if obj.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()) {
        return Observed::Terminating;
    }
    let object = Object::read(obj);
    if object.observed.is_some_and(|observed| observed != object.generation) {
        return Observed::InProgress;
    }
    // The first of the two in the list decides.
    for condition in object.conditions.iter().filter(|condition| condition.is_true()) {
        match condition.kind {
            "Reconciling" => return Observed::InProgress,
            "Stalled" => return Observed::Failed,
            _ => {}
        }
    }
    match object.condition("Ready") {
        Some(ready) if matches!(ready.status, "False" | "Unknown") => Observed::InProgress,
        _ => Observed::Current,
    }
}
