//! Where a pass calls the author's hooks: before the status write, and after all is done.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Tale;
use crate::outcome::{Halt, Outcome, panicked};
use crate::pass::api::PassBackend;
use crate::pass::context::PassContext;
use crate::pipeline::hook::{Known, Report, tell};
use crate::pipeline::object::Object;
use crate::pipeline::state::{Draft, StatusIntent};
use crate::queue::Next;

/// Gives the reconciler's hook the last word. It works on copies, so that a panic leaves nothing half done.
pub(in crate::pass) fn after(
    context: &PassContext,
    object: &Object,
    draft: &Draft,
    (outcome, error): (&Outcome, Option<&Halt>),
    intent: &mut StatusIntent,
    tale: &mut Tale,
) {
    let Some(hook) = context.env.reconciler.hook() else { return };
    let mut telling = tale.telling.clone();
    let (transition, recovery) = (tale.transition, tale.recovery);
    let known = Known { outcome, error, conditions: &intent.conditions, transition, recovery };
    let ended = || context.env.reconciler.end_pass(object, &*draft.status, known, &mut telling);
    let fields = match catch_unwind(AssertUnwindSafe(ended)) {
        Ok(fields) => fields,
        Err(panic) => {
            let panic = panicked(&*panic);
            tracing::error!(hook, panic, "the hook panicked; the pass ends as if there were none");
            return;
        }
    };
    tale.telling = telling;
    match fields {
        Ok(fields) => intent.fields = draft.own(fields),
        Err(error) => {
            tracing::warn!(%error, hook, "the status of the hook cannot be written as JSON; it is left out");
        }
    }
}

/// Reports the pass to the observers of the operator. `next` tells whether the object was still there, and still the same.
pub(in crate::pass) fn observe(
    context: &PassContext,
    backend: &PassBackend,
    outcome: &Outcome,
    tale: &Tale,
    next: Option<&Next>,
) {
    if context.env.observers.is_empty() {
        return;
    }
    let overtaken = overtaken(next);
    let identity = &backend.identity;
    let counts = overtaken.is_none();
    let report = Report {
        reconciler: context.wiring.name,
        namespace: identity.target.namespace.as_deref(),
        name: &identity.target.name,
        uid: &identity.uid,
        deleting: identity.deleting,
        outcome: overtaken.as_ref().unwrap_or(outcome),
        reason: &tale.reason,
        message: &tale.message,
        notify: counts && tale.actions.notify,
        transition: counts && tale.transition,
        recovery: counts && tale.recovery,
        duration: backend.began.elapsed(),
    };
    tell(&context.env.observers, &report);
}

/// What others did to the object meanwhile: it is gone, or another one now.
const fn overtaken(next: Option<&Next>) -> Option<Outcome> {
    match next {
        Some(Next::Forget) => Some(Outcome::Gone),
        Some(Next::Conflict { .. }) => Some(Outcome::Conflict),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observers_are_told_of_an_object_that_went_or_changed_under_its_pass() {
        assert_eq!(overtaken(Some(&Next::Forget)), Some(Outcome::Gone));
        assert_eq!(overtaken(Some(&Next::Conflict { newer_than: "5".into() })), Some(Outcome::Conflict));
        for next in [None, Some(&Next::Await), Some(&Next::Undone { at_least: None })] {
            assert_eq!(overtaken(next), None);
        }
    }
}
