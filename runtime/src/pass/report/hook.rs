//! Calls the author's hooks: before the status write, and at the end of the pass.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::PassReport;
use crate::outcome::{Outcome, PassError, panicked};
use crate::pass::api::PassBackend;
use crate::pass::context::PassContext;
use crate::pipeline::hook::{Known, Report, notify};
use crate::pipeline::object::Object;
use crate::pipeline::state::{DesiredStatus, PassState};
use crate::queue::Next;

/// Lets the reconciler's hook change the status fields, the event and the log level. It works on copies, so that a panic leaves no partial
/// change.
pub(in crate::pass) fn after(
    context: &PassContext,
    object: &Object,
    state: &PassState,
    (outcome, error): (&Outcome, Option<&PassError>),
    intent: &mut DesiredStatus,
    report: &mut PassReport,
) {
    let Some(hook) = context.env.reconciler.hook() else { return };
    let mut announcement = report.announcement.clone();
    let (transition, recovery) = (report.transition, report.recovery);
    let known = Known { outcome, error, conditions: &intent.conditions, transition, recovery };
    let ended = || context.env.reconciler.end_pass(object, &*state.status, known, &mut announcement);
    let fields = match catch_unwind(AssertUnwindSafe(ended)) {
        Ok(fields) => fields,
        Err(panic) => {
            let panic = panicked(&*panic);
            tracing::error!(hook, panic, "the hook panicked; the pass ends without it");
            return;
        }
    };
    report.announcement = announcement;
    match fields {
        Ok(fields) => intent.fields = state.own(fields),
        Err(error) => {
            tracing::warn!(%error, hook, "the status of the hook cannot be serialized as JSON; it is omitted");
        }
    }
}

/// Reports the pass to the operator's listeners. `next` shows whether the object was changed or deleted meanwhile.
pub(in crate::pass) fn observe(
    context: &PassContext,
    backend: &PassBackend,
    outcome: &Outcome,
    report: &PassReport,
    next: Option<&Next>,
) {
    if context.env.listeners.is_empty() {
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
        reason: &report.reason,
        message: &report.message,
        notify: counts && report.actions.notify,
        transition: counts && report.transition,
        recovery: counts && report.recovery,
        duration: backend.began.elapsed(),
    };
    notify(&context.env.listeners, &report);
}

/// The outcome for an object that was deleted or changed during the pass.
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
    fn deletion_and_conflict_during_a_pass_are_reported() {
        assert_eq!(overtaken(Some(&Next::Forget)), Some(Outcome::Gone));
        assert_eq!(overtaken(Some(&Next::Conflict { newer_than: "5".into() })), Some(Outcome::Conflict));
        for next in [None, Some(&Next::Await), Some(&Next::NotStarted { at_least: None })] {
            assert_eq!(overtaken(next), None);
        }
    }
}
