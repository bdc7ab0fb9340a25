//! The facts of a watcher about an object, at the start and at the end of a pass.

use super::context::{PassContext, observed};
use super::report::current_pass::CurrentPass;
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
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
    context.wiring.watcher.is_some_and(|watcher| !watcher.settled) && seen != number(object)
}

/// Hands the facts about its object to the pass of a watcher.
pub(super) fn begin(context: &PassContext, pass: &CurrentPass<'_>, object: &Object, state: &mut PassState) {
    let Some(watcher) = context.wiring.watcher else { return };
    let seen = std::mem::replace(&mut context.memory().entry(pass.key.clone()).or_default().watched, number(object));
    let before = context.env.primary.before(pass.key, object.uid());
    let is_added = match watcher.mark {
        Mark::Status => pass.is_marked && observed(context.wiring, object).inputs.is_some_and(|inputs| inputs.added),
        Mark::Finalizers => context.finalizers.is_added(object.meta()),
        Mark::None => seen == number(object) && context.memory().get(pass.key).is_some_and(|memory| memory.added),
    };
    let facts = Facts { is_added, has_changed: before.is_some() };
    state.calls = Some(Box::new(Calls::new(facts, before.and_then(|before| before.object))));
}

/// Records what the calls of a watcher have reached. Returns whether the object is added, for its status.
pub(super) fn end(context: &PassContext, key: &Key, object: &Object, state: &PassState) -> bool {
    let Some(watcher) = context.wiring.watcher else { return false };
    let Some(calls) = &state.calls else {
        // No code ran.
        return observed(context.wiring, object).inputs.is_some_and(|inputs| inputs.added);
    };
    if calls.is_handled {
        let newest = context.env.primary.get(key);
        let has_changed = newest.is_some_and(|newest| has_changed(context, object, &*newest));
        context.env.primary.handled(key, object, watcher, has_changed);
    }
    let is_added = calls.facts.is_added || calls.is_handled;
    if watcher.mark == Mark::None
        && let Some(memory) = context.memory().get_mut(key)
    {
        memory.added = is_added;
    }
    is_added
}

/// Whether two versions of one object differ in what counts as a change.
fn has_changed(context: &PassContext, before: &Object, now: &Object) -> bool {
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
    before.resource_version() != now.resource_version() && triggers.intersects(TriggerSet::OF_OBJECT)
}
