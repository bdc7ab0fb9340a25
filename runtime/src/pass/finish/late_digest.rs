//! The late digest: a pass without a new result writes nothing, and a later write stores its digest.
//!
//! Otherwise a label that another tool renews each minute would cost a write each minute, and an upgrade would write to all objects at
//! once. Until the write, the process remembers the digest of the last body; after a restart the body runs once more.

use crate::condition::Condition;
use crate::pass::context::PassContext;
use crate::pass::memory::late_digest::LateDigest;
use crate::pipeline::object::Object;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;
use crate::status::ObservedInputs;
use crate::trigger::{TriggerSet, parse};
use crate::wiring::Wiring;

/// The late digest that replaces the one in the status.
pub(in crate::pass) fn late(context: &PassContext, key: &Key, inputs: &ObservedInputs) -> Option<LateDigest> {
    context.memory().get(key)?.late.as_deref().copied().filter(|late| late.holds_for(inputs))
}

/// The late digest of this pass; `None`: nothing is postponed.
///
/// Only a digest that replaces another one can be late; the first one after a failure is written at once. After a restart or a change of
/// the code it is written within the hour, at a different time for each object, so that a later restart runs no body.
pub(in crate::pass) fn lateness(
    context: &PassContext,
    key: &Key,
    object: &Object,
    triggers: TriggerSet,
    (found, intent): (&DesiredStatus, &DesiredStatus),
) -> Option<LateDigest> {
    let (was, is) = (found.observed_inputs.as_ref()?, intent.observed_inputs.as_ref()?);
    let (over, digest) = (parse(&was.digest)?, parse(&is.digest)?);
    let is_other_code = was.wiring != is.wiring;
    if over == digest || !triggers.both(TriggerSet::STORED).is_empty() || !intent.differs_in_digest_only(found) {
        return None;
    }
    if is_other_code && undeclared(context.wiring, object).next().is_some() {
        return None;
    }
    let soon = is_other_code || triggers.contains(TriggerSet::APPEARED);
    let due = match late(context, key, was) {
        Some(late) => late.due,
        None => soon.then(|| context.clock.within_the_hour(object.uid())),
    };
    Some(LateDigest { over, digest, due }).filter(|late| !late.is_due())
}

/// Remembers the late digest of a pass, or that there is none.
pub(in crate::pass) fn remember(context: &PassContext, key: &Key, late: Option<LateDigest>) {
    if let Some(memory) = context.memory().get_mut(key) {
        memory.late = late.map(Box::new);
    }
}

/// Conditions that this code does not declare. An earlier build may have left them, so changed code removes them at once.
fn undeclared<'o>(wiring: &'static Wiring, object: &'o Object) -> impl Iterator<Item = &'o Condition> {
    object.conditions().iter().filter(|condition| !wiring.is_own(&condition.type_))
}
