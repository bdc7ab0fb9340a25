//! Decides what a pass does for its object. The fast path, which needs no future, and the full pass use the same function.

pub(super) mod dependencies;
pub(super) mod facts;
pub(super) mod missing;
pub(super) mod ownership;
pub(super) mod policy;
pub(super) mod selection;
pub(super) mod suspend;
#[cfg(test)]
mod tests;
pub(super) mod unchanged;
pub(super) mod wiring_hash;

use std::time::Duration;

use crate::outcome::PassError;
use crate::trigger::TriggerSet;

/// The action that a pass takes for its object.
#[derive(Debug)]
pub(super) enum Decision {
    /// Another client undoes the corrections of owned objects: the pass is postponed by this time.
    Contested(Duration),
    /// The object belongs to the operator in this other namespace.
    Foreign(String),
    /// The object is being deleted.
    Delete,
    /// The object is suspended.
    Suspended,
    /// The status of an earlier pass, whose write failed, is written again without the body.
    Resend,
    /// Nothing that the last pass depended on has changed.
    Unchanged,
    /// The policy cannot be read, or a dependency is not ready.
    Blocked(PassError),
    /// Claim and finalizer run, then the part of the author's code that the policy allows.
    Run,
}

/// A fact that a decision lacks and the API server has to provide.
#[derive(Debug)]
pub(super) enum MissingFact {
    /// The policy of the namespace applies: read it, then decide again.
    Namespace,
    /// The objects that the last pass read by name: watch them, then call [`after_watching`].
    References(Option<PassError>),
}

/// The unwritten status of an earlier pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    None,
    /// Only its retry timer triggered the pass: it is written unchanged.
    Resend,
    /// It is out of date, so the status of the object is stale.
    OutOfDate,
}

/// The objects that the last pass read by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// The status lists none, so there is nothing to watch.
    None,
    /// They have to be watched before their versions are known.
    Unwatched,
    /// The status has no record of the last pass.
    Unknown,
}

/// The facts for a decision. Each is computed on demand, since most decisions need only a few.
pub(super) trait Facts {
    /// Remaining pause before a correction of owned objects.
    fn contested(&self) -> Option<Duration>;
    /// The namespace of another operator that owns the object.
    fn foreign_owner(&self) -> Option<String>;
    /// Whether the policy of the namespace has to be read first.
    fn lacks_namespace(&self) -> bool;
    /// The triggers that prevent a short-circuit, from the object's own fields and from the triggers of the pass.
    fn triggers(&self) -> TriggerSet;
    fn is_suspended(&self) -> bool;
    fn unsent(&self) -> Unsent;
    /// The error of a policy or dependency that blocks the steps. From then on, a change to a dependency triggers a pass.
    fn blocked_by(&self) -> Option<PassError>;
    fn references(&self) -> References;
    /// Whether the digest of the last pass is still current.
    fn is_digest_current(&self, blocked_by: Option<&PassError>) -> bool;
}

/// Decides what the pass does, in the order of the guide's page on the pass.
///
/// # Errors
/// Returns the fact that the decision lacks.
pub(super) fn decide(facts: &impl Facts) -> Result<Decision, MissingFact> {
    if let Some(left) = facts.contested() {
        return Ok(Decision::Contested(left));
    }
    if let Some(other) = facts.foreign_owner() {
        return Ok(Decision::Foreign(other));
    }
    if facts.lacks_namespace() {
        return Err(MissingFact::Namespace);
    }
    let triggers = facts.triggers();
    if triggers.contains(TriggerSet::DELETION) {
        return Ok(Decision::Delete);
    }
    if facts.is_suspended() {
        return Ok(Decision::Suspended);
    }
    let unsent = facts.unsent();
    if unsent == Unsent::Resend {
        return Ok(Decision::Resend);
    }
    let blocked_by = facts.blocked_by();
    if !triggers.is_empty() || unsent != Unsent::None {
        return Ok(steps(blocked_by));
    }
    match facts.references() {
        References::None => Ok(after_watching(facts, blocked_by, true)),
        References::Unwatched => Err(MissingFact::References(blocked_by)),
        References::Unknown => Ok(steps(blocked_by)),
    }
}

/// Completes the decision once the objects that the last pass read are watched. `are_readable`: whether all of them can be read.
pub(super) fn after_watching(facts: &impl Facts, blocked_by: Option<PassError>, are_readable: bool) -> Decision {
    match are_readable && facts.is_digest_current(blocked_by.as_ref()) {
        true => Decision::Unchanged,
        false => steps(blocked_by),
    }
}

fn steps(blocked_by: Option<PassError>) -> Decision {
    blocked_by.map_or(Decision::Run, Decision::Blocked)
}
