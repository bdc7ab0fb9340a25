//! The decision: what a pass does for its object. One function for the fast path, which needs no future, and for the full pass.

pub(super) mod dependencies;
pub(super) mod facts;
pub(super) mod missing;
pub(super) mod ownership;
pub(super) mod policy;
pub(super) mod suspend;
#[cfg(test)]
mod tests;
pub(super) mod unchanged;
pub(super) mod wiring_hash;

use std::time::Duration;

use crate::outcome::PassError;
use crate::trigger::TriggerSet;

/// What a pass does for its object.
#[derive(Debug)]
pub(super) enum Decision {
    /// Another client undoes the corrections of owned objects: the pass waits for so long.
    Contested(Duration),
    /// The object belongs to the operator of this other namespace.
    Foreign(String),
    /// The object is being deleted.
    Delete,
    /// The object is suspended.
    Suspended,
    /// A status that could not be written is written again, without the body.
    Resend,
    /// Nothing that the last pass depended on has changed.
    Unchanged,
    /// The policy cannot be read, or a dependency is not ready.
    Blocked(PassError),
    /// Claim and finalizer, then the author's code as the policy allows it.
    Run,
}

/// What a decision lacks, and the API server has to be asked for.
#[derive(Debug)]
pub(super) enum MissingFact {
    /// The policy of the namespace counts: read it, then decide again.
    Namespace,
    /// The objects that the last pass read by name: watch them, then see [`after_watching`].
    References(Option<PassError>),
}

/// A status of an earlier pass that is not written yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsent {
    None,
    /// Nothing but its retry timer triggered the pass: it is written as it is.
    Resend,
    /// It is out of date, so the object is not as its status says.
    OutOfDate,
}

/// The objects that the last pass read by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// The status names none, so there is nothing to watch.
    None,
    /// They have to be watched before their versions are known.
    Unwatched,
    /// The last pass is not known.
    Unknown,
}

/// What a decision is made from. Each fact is found when it is asked for: most decisions need a few.
pub(super) trait Facts {
    /// How long a correction of owned objects still waits.
    fn contested(&self) -> Option<Duration>;
    /// The namespace of the other operator that the object belongs to.
    fn foreign_owner(&self) -> Option<String>;
    /// Whether the policy of the namespace has to be read first.
    fn lacks_namespace(&self) -> bool;
    /// Which triggers forbid to leave the object alone, by its own fields and by why the pass runs.
    fn triggers(&self) -> TriggerSet;
    fn is_suspended(&self) -> bool;
    fn unsent(&self) -> Unsent;
    /// The policy or dependency that keeps the steps from running. From then on, a change of a dependency triggers a pass.
    fn blocked_by(&self) -> Option<PassError>;
    fn references(&self) -> References;
    /// Whether the digest of the last pass is that of now.
    fn is_digest_current(&self, blocked_by: Option<&PassError>) -> bool;
}

/// Decides what the pass does. The order is that of the guide's page on the pass.
///
/// # Errors
/// Returns what the decision lacks.
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

/// Decides the rest, once the objects that the last pass read are watched; `are_readable` is false where one of them cannot be read.
pub(super) fn after_watching(facts: &impl Facts, blocked_by: Option<PassError>, are_readable: bool) -> Decision {
    match are_readable && facts.is_digest_current(blocked_by.as_ref()) {
        true => Decision::Unchanged,
        false => steps(blocked_by),
    }
}

fn steps(blocked_by: Option<PassError>) -> Decision {
    blocked_by.map_or(Decision::Run, Decision::Blocked)
}
