//! The facts of a watcher about an object, at the start and at the end of a pass.

use super::context::{PassContext, observed};
use super::memory::Memory;
use super::report::PassReport;
use super::report::current_pass::CurrentPass;
use crate::outcome::Outcome;
use crate::pipeline::object::Object;
use crate::pipeline::state::{DesiredStatus, PassState};
use crate::pipeline::watcher::calls::Calls;
use crate::pipeline::watcher::decide::Facts;
use crate::queue::Key;
use crate::trigger::{self, PrimaryChange, TriggerSet};
use crate::wiring::Mark;
use crate::wiring::triggers::Counted;

/// The number by which the memory of a pass recognizes an object; 0: none.
pub(super) fn number(object: &Object) -> u64 {
    trigger::number(&[object.uid()]).max(1)
}

/// Whether the code of this watcher has not run for the object since the process started.
pub(super) fn is_unseen(context: &PassContext, object: &Object, seen: u64) -> bool {
    context.wiring.watcher.is_some_and(|watcher| !watcher.settled) && seen != number(object) && !has_bare_status(object)
}

/// Whether a pass has ended for the object since the process started, if its status is in memory only.
pub(super) fn has_bare_status(object: &Object) -> bool {
    object.bare().is_some_and(|bare| bare.status.is_some())
}

/// Drops the memory of an idle object if its cache is slim, too: the status shows what a later pass needs.
pub(super) fn rest(context: &PassContext, key: &Key) {
    let is_slim = context.wiring.watcher.is_some_and(|watcher| watcher.whole.is_some());
    if !is_slim || !context.env.primary.get(key).is_some_and(|object| has_bare_status(&*object)) {
        return;
    }
    let mut memory = context.memory();
    if memory.get(key).is_some_and(Memory::is_idle) {
        memory.remove(key);
    }
}

/// Hands the facts about its object to the pass of a watcher.
pub(super) fn begin(context: &PassContext, pass: &CurrentPass<'_>, object: &Object, state: &mut PassState) {
    let Some(watcher) = context.wiring.watcher else { return };
    context.memory().entry(pass.key.clone()).or_default().watched = number(object);
    let before = context.env.primary.before(pass.key, object.uid());
    let is_added = match watcher.mark {
        Mark::Status => pass.is_marked && was_added(context, object),
        Mark::Finalizers => context.finalizers.is_added(object.meta()),
        // Its status is that of this object since the process started.
        Mark::None => was_added(context, object),
    };
    let facts = Facts { is_added, has_changed: before.is_some() };
    let calls = Calls::new(facts, before.and_then(|before| before.object));
    state.calls = Some(Box::new(Calls { whole: pass.whole.clone(), ..calls }));
}

/// Whether the status shows that a call has succeeded.
fn was_added(context: &PassContext, object: &Object) -> bool {
    observed(context.wiring, object).inputs.is_some_and(|inputs| inputs.added)
}

/// Records what the calls of a watcher have reached. Returns whether the object is added, for its status.
pub(super) fn end(context: &PassContext, key: &Key, object: &Object, state: &PassState) -> bool {
    let Some(watcher) = context.wiring.watcher else { return false };
    let Some(calls) = &state.calls else {
        // No code ran.
        return was_added(context, object);
    };
    if calls.is_handled {
        let newest = context.env.primary.get(key);
        let has_changed = newest.is_some_and(|newest| has_changed(context, object, &*newest));
        context.env.primary.handled(key, object, watcher, has_changed);
    }
    calls.facts.is_added || calls.is_handled
}

/// Removes the event of the first success for the object since the process started, if its status is in memory only: each start of the process
/// has one for each object.
pub(super) fn without_first_success(
    context: &PassContext,
    object: &Object,
    (found, outcome): (&DesiredStatus, &Outcome),
    report: &mut PassReport,
) {
    let is_new = object.bare().is_some() && found.conditions.is_empty();
    if context.wiring.watcher.is_some() && is_new && *outcome == Outcome::Done {
        report.announcement.event = None;
    }
}

/// Whether two versions of one object differ in what counts as a change.
fn has_changed(context: &PassContext, before: &Object, now: &Object) -> bool {
    if before.resource_version() == now.resource_version() {
        return false;
    }
    let triggers = context.env.enabled_triggers.of_change(&PrimaryChange {
        before: Some(before.meta()),
        now: now.meta(),
        observed: None,
        is_ours: false,
        finalizers: &[],
        request_annotation: context.wiring.request_annotation,
        policy: None,
        counted: Counted { triggers: context.wiring.triggers, claimed: &[] },
        content: (before.content(context.wiring.watcher), now.content(context.wiring.watcher)),
        any_version: false,
        suspended: (false, false),
    });
    triggers.intersects(TriggerSet::OF_OBJECT)
}
