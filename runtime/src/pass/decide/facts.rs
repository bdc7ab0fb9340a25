//! The facts of one object, from the caches and from what this process remembers of its passes.

use std::time::Duration;

use super::suspend::is_suspended;
use super::{Decision, Facts, Lack, References, Unsent, decide};
use crate::outcome::retry::Retry;
use crate::outcome::{Halt, Outcome};
use crate::pass::context::Memory;
use crate::pass::finish::late_digest::Late;
use crate::pass::{PassWorker, observed};
use crate::pipeline::object::Object;
use crate::queue::{Curve, Key, Next};
use crate::status::observed::Observed;
use crate::trigger::{Causes, Standing};

/// Whether the namespace of the object, whose policy may count, has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Namespace {
    /// It has to be read first, if its policy counts.
    Unread,
    /// It is in the cache, if its policy counts and it can be read.
    Read,
}

/// One object before its pass.
pub(in crate::pass) struct ObjectFacts<'a> {
    worker: &'a PassWorker,
    key: &'a Key,
    object: &'a Object,
    causes: Causes,
    namespace: Namespace,
    /// What the last pass left in the status.
    pub(in crate::pass) seen: Observed<'a>,
    /// The digest that stands for the one in the status.
    pub(in crate::pass) late: Option<Late>,
    /// A status that is not written yet; its outcome and retry class where nothing but its timer triggered the pass.
    unsent: Option<Option<(Outcome, Retry)>>,
    /// An earlier pass found it suspended, or that of another operator: the next pass takes note of the change.
    is_resumed: bool,
}

impl<'a> ObjectFacts<'a> {
    pub(in crate::pass) fn of(
        worker: &'a PassWorker,
        (key, object): (&'a Key, &'a Object),
        causes: Causes,
        namespace: Namespace,
    ) -> Self {
        let seen = observed(worker.wiring, object);
        let memory = worker.memory();
        let memory = memory.get(key);
        let late = memory.and_then(|memory| memory.late.as_deref().copied());
        let late = late.zip(seen.inputs.as_deref()).filter(|(late, inputs)| late.holds_for(inputs));
        let pending = memory.and_then(|memory| memory.pending.as_ref());
        Self {
            late: late.map(|(late, _)| late),
            unsent: pending.map(|pending| pending.alone(object.meta(), causes)),
            is_resumed: memory.is_some_and(Memory::is_set_aside),
            worker,
            key,
            object,
            causes,
            namespace,
            seen,
        }
    }

    /// See [`decide`].
    pub(in crate::pass) fn decide(&self) -> Result<Decision, Lack> {
        decide(self)
    }

    /// Whether an unchanged object needs no write and no event.
    pub(in crate::pass) fn is_quiet(&self) -> bool {
        !self.is_resumed && !self.late.is_some_and(Late::is_due)
    }
}

impl Facts for ObjectFacts<'_> {
    fn contested(&self) -> Option<Duration> {
        self.worker.contested(self.key, self.causes)
    }

    fn foreign_owner(&self) -> Option<String> {
        self.worker.elsewhere(self.object).map(ToOwned::to_owned)
    }

    fn lacks_namespace(&self) -> bool {
        self.namespace == Namespace::Unread && self.worker.wiring.policies.is_some_and(|policies| policies.namespace)
    }

    fn triggers(&self) -> Causes {
        let (worker, object) = (self.worker, self.object);
        worker.env.causes.standing(&Standing {
            woken: self.causes,
            meta: object.meta(),
            observed: self.seen.generation,
            inputs: self.seen.inputs.as_deref(),
            is_finalizer_due: worker.finalizers.is_due(object.meta()) || worker.mark(object).is_some(),
            is_requested: self.seen.receipts.awaits(self.worker.wiring.requested, object.annotations()),
        })
    }

    fn is_suspended(&self) -> bool {
        is_suspended(&*self.worker.env.reconciler, self.object)
    }

    /// A body that failed, too, is tried again with the write, where its back-off is no longer than that of the write. Otherwise it would
    /// wait for a second back-off after the write, and an outage makes that a long one.
    fn unsent(&self) -> Unsent {
        let Some(alone) = &self.unsent else { return Unsent::None };
        let Some((outcome, retry)) = alone else { return Unsent::OutOfDate };
        match self.worker.schedule(self.object, (outcome, *retry), false, &mut Vec::new()) {
            Next::Retry { .. } => Unsent::OutOfDate,
            Next::RetryAlong { curve, .. } if curve == Curve::FAST => Unsent::OutOfDate,
            _ => Unsent::Resend,
        }
    }

    fn blocked_by(&self) -> Option<Halt> {
        self.worker.policy(self.object).halt().or_else(|| self.worker.held_up(self.key, self.object))
    }

    fn references(&self) -> References {
        match self.seen.inputs.as_deref() {
            None => References::Unknown,
            Some(inputs) if inputs.references.is_empty() => References::None,
            Some(_) => References::Unwatched,
        }
    }

    fn is_digest_current(&self, blocked_by: Option<&Halt>) -> bool {
        let inputs = self.seen.inputs.as_deref();
        inputs.is_some_and(|inputs| self.worker.is_as_it_was(self.object, inputs, blocked_by, self.late))
    }
}
