//! kstatus: what observers (kubectl wait, Argo CD, Flux, Helm) conclude from an object, and whether its conditions help
//! them to it.

mod check;
mod object;
mod rule;
#[cfg(test)]
mod tests;

pub use check::{Mode, Violation, check};
pub use rule::Rule;

use object::Object;
use serde_json::Value;

/// What an observer concludes from an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Done, and as its spec wants it.
    Current,
    /// Still on its way.
    InProgress,
    /// Stuck until somebody acts.
    Failed,
    /// Being deleted.
    Terminating,
}

/// The generic part of the kstatus computation, which observers use for kinds that they do not know.
///
/// An object without status is `Current`: default `status.observedGeneration` to -1 in the schema, or observers take a
/// fresh object for a finished one.
#[must_use]
pub fn compute(obj: &Value) -> Observed {
    if obj.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()) {
        return Observed::Terminating;
    }
    let object = Object::read(obj);
    if object.observed.is_some_and(|observed| observed != object.generation) {
        return Observed::InProgress;
    }
    // The first of the two in the list's order decides.
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
