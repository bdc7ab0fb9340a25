//! The facts of one object, from the caches and from the memory of this process.

use std::time::Duration;

use super::suspend::is_suspended;
use super::{Decision, Facts, MissingFact, References, Unsent, decide, dependencies, ownership, policy, unchanged};
use crate::backoff::Backoff;
use crate::outcome::retry::Retry;
use crate::outcome::{Outcome, PassError};
use crate::pass::context::{PassContext, observed};
use crate::pass::finish::schedule::schedule;
use crate::pass::memory::Memory;
use crate::pass::memory::late_digest::LateDigest;
use crate::pass::watcher;
use crate::pipeline::object::Object;
use crate::queue::{Key, Next};
use crate::status::observed::Observed;
use crate::trigger::{TriggerFacts, TriggerSet};

/// Whether the object's namespace, whose policy may apply, has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Namespace {
    /// It has to be read first, if its policy applies.
    Unread,
    /// It is in the cache, if its policy applies and it can be read.
    Read,
}

/// The facts of one object before its pass.
pub(in crate::pass) struct ObjectFacts<'a> {
    context: &'a PassContext,
    key: &'a Key,
    object: &'a Object,
    triggers: TriggerSet,
    namespace: Namespace,
    /// The results of the last pass, from the status.
    pub(in crate::pass) seen: Observed<'a>,
    /// The late digest, which replaces the one in the status.
    pub(in crate::pass) late: Option<LateDigest>,
    /// A status that is not written yet, with its outcome and retry class if only its retry timer triggered the pass.
    unsent: Option<Option<(Outcome, Retry)>>,
    /// Remaining pause before a correction of owned objects, if that is the only trigger of the pass.
    contested: Option<Duration>,
    /// An earlier pass found the object suspended or owned by another operator; the next pass records the change.
    is_resumed: bool,
    /// The code of a watcher has not run for the object since the process started.
    is_unseen: bool,
}

impl<'a> ObjectFacts<'a> {
    pub(in crate::pass) fn of(
        context: &'a PassContext,
        (key, object): (&'a Key, &'a Object),
        triggers: TriggerSet,
        namespace: Namespace,
    ) -> Self {
        let seen = observed(context.wiring, object);
        let memory = context.memory();
        let memory = memory.get(key);
        let late = memory.and_then(|memory| memory.late.as_deref().copied());
        let late = late.zip(seen.inputs.as_deref()).filter(|(late, inputs)| late.holds_for(inputs));
        let pending = memory.and_then(|memory| memory.pending.as_ref());
        Self {
            late: late.map(|(late, _)| late),
            unsent: pending.map(|pending| pending.alone(object.meta(), triggers)),
            contested: match triggers == TriggerSet::OWNED {
                true => memory.and_then(|memory| memory.children.contested()),
                false => None,
            },
            is_resumed: memory.is_some_and(Memory::is_set_aside),
            is_unseen: watcher::is_unseen(context, object, memory.map_or(0, |memory| memory.watched)),
            context,
            key,
            object,
            triggers,
            namespace,
            seen,
        }
    }

    /// See [`decide`].
    pub(in crate::pass) fn decide(&self) -> Result<Decision, MissingFact> {
        decide(self)
    }

    /// Whether an unchanged object needs no write and no event.
    pub(in crate::pass) fn is_quiet(&self) -> bool {
        !self.is_resumed && !self.late.is_some_and(LateDigest::is_due)
    }
}

impl Facts for ObjectFacts<'_> {
    fn contested(&self) -> Option<Duration> {
        self.contested
    }

    fn foreign_owner(&self) -> Option<String> {
        ownership::foreign_owner(self.context, self.object).map(ToOwned::to_owned)
    }

    fn lacks_namespace(&self) -> bool {
        self.namespace == Namespace::Unread && self.context.wiring.policies.is_some_and(|policies| policies.namespace)
    }

    fn triggers(&self) -> TriggerSet {
        let (context, object) = (self.context, self.object);
        let unseen = if self.is_unseen { TriggerSet::APPEARED } else { TriggerSet::NONE };
        unseen
            | context.env.enabled_triggers.of_object(&TriggerFacts {
                received: self.triggers,
                meta: object.meta(),
                observed: self.seen.generation,
                inputs: self.seen.inputs.as_deref(),
                is_finalizer_due: context.finalizers.is_due(object.meta())
                    || ownership::adoption_patch(context, object).is_some(),
                is_requested: self.seen.receipts.awaits(self.context.wiring.request_annotation, object.annotations()),
            })
    }

    fn is_suspended(&self) -> bool {
        is_suspended(&*self.context.env.reconciler, self.object)
    }

    /// A failed body runs again together with the write if its back-off is no longer than that of the write. Otherwise it would wait for a
    /// second back-off after the write, which is long after an outage.
    fn unsent(&self) -> Unsent {
        let Some(alone) = &self.unsent else { return Unsent::None };
        let Some((outcome, retry)) = alone else { return Unsent::OutOfDate };
        match schedule(self.context, self.object, (outcome, *retry), false, &mut Vec::new()) {
            Next::Retry { .. } => Unsent::OutOfDate,
            Next::RetryAlong { curve, .. } if curve == Backoff::FAST => Unsent::OutOfDate,
            _ => Unsent::Resend,
        }
    }

    fn blocked_by(&self) -> Option<PassError> {
        policy::policy(self.context, self.object)
            .pass_error()
            .or_else(|| dependencies::blocked_by(self.context, self.key, self.object))
    }

    fn references(&self) -> References {
        match self.seen.inputs.as_deref() {
            None => References::Unknown,
            Some(inputs) if inputs.references.is_empty() => References::None,
            Some(_) => References::Unwatched,
        }
    }

    fn is_digest_current(&self, blocked_by: Option<&PassError>) -> bool {
        let inputs = self.seen.inputs.as_deref();
        let object = (self.key, self.object);
        inputs.is_some_and(|inputs| unchanged::is_as_it_was(self.context, object, inputs, blocked_by, self.late))
    }
}
