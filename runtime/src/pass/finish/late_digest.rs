//! The late digest: a pass without a new result writes nothing, and a later write stores its digest.
//!
//! Otherwise a label that another tool renews each minute would cost a write each minute, and an upgrade would write to all objects at
//! once. Until the write, the process remembers the digest of the last body; after a restart the body runs once more.

use tokio::time::Instant;

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

/// What a pass does with its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Digest {
    /// It is written with the rest of the status, or it has not changed.
    Written,
    /// It is written for its own sake, and the next one is late.
    Stored(LateDigest),
    /// It is written later.
    Late(LateDigest),
}

impl Digest {
    pub(in crate::pass) fn late(self) -> Option<LateDigest> {
        match self {
            Self::Late(late) => Some(late),
            Self::Written | Self::Stored(_) => None,
        }
    }
}

/// Decides when the digest of this pass is written.
///
/// Only a digest that replaces another one can be late; the first one after a failure is written at once, and so is that of a resync. After a
/// restart or a change of the code it is written within the hour, at a different time for each object, so that a later restart runs no body.
/// After a change of a watched object it is written at once, but not again within the hour: the object may change often, and an object of the
/// reconciled kind may change because of this write.
pub(in crate::pass) fn lateness(
    context: &PassContext,
    key: &Key,
    object: &Object,
    triggers: TriggerSet,
    (found, intent): (&DesiredStatus, &DesiredStatus),
) -> Digest {
    let (Some(was), Some(is)) = (&found.observed_inputs, &intent.observed_inputs) else { return Digest::Written };
    let (Some(over), Some(digest)) = (parse(&was.digest), parse(&is.digest)) else { return Digest::Written };
    let is_other_code = was.wiring != is.wiring;
    if over == digest || triggers.contains(TriggerSet::RESYNC) || !intent.differs_in_digest_only(found) {
        return Digest::Written;
    }
    if is_other_code && undeclared(context.wiring, object).next().is_some() {
        return Digest::Written;
    }
    let within_the_hour = || context.clock.within_the_hour(object.uid());
    let is_watched = triggers.contains(TriggerSet::WATCHED);
    let due = match (late(context, key, was), stored_until(context, key, over)) {
        (Some(late), _) => late.due.or_else(|| is_watched.then(within_the_hour)),
        (None, Some(until)) if is_watched => Some(until),
        (None, _) if is_watched => return Digest::Stored(LateDigest::stored(digest, within_the_hour())),
        (None, _) => (is_other_code || triggers.contains(TriggerSet::APPEARED)).then(within_the_hour),
    };
    let late = LateDigest { over, digest, due };
    if late.is_due() { Digest::Written } else { Digest::Late(late) }
}

fn stored_until(context: &PassContext, key: &Key, status: u64) -> Option<Instant> {
    context.memory().get(key)?.late.as_deref()?.stored_until(status)
}

/// Remembers what a pass did with its digest.
pub(in crate::pass) fn remember(context: &PassContext, key: &Key, digest: Digest) {
    if let Some(memory) = context.memory().get_mut(key) {
        memory.late = match digest {
            Digest::Late(one) | Digest::Stored(one) => Some(Box::new(one)),
            Digest::Written => None,
        };
    }
}

/// Conditions that this code does not declare. An earlier build may have left them, so changed code removes them at once.
fn undeclared<'o>(wiring: &'static Wiring, object: &'o Object) -> impl Iterator<Item = &'o Condition> {
    object.conditions().iter().filter(|condition| !wiring.is_own(&condition.type_))
}
