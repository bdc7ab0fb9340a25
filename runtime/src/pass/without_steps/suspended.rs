//! The pass of a suspended object, which records handled tokens and reports the suspension.

use crate::pass::backend;
use crate::pass::context::PassContext;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::send_event;
use crate::pass::without_steps::stamp;
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::queue::Next;
use crate::trigger::TriggerSet;

/// Runs no side effect, leaves the conditions as they are and sets no timer. Resuming the object triggers a reconcile.
pub(in crate::pass) async fn reconcile_suspended(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
) -> Next {
    let key = pass.key;
    pass.ends("Suspended");
    let known = std::mem::replace(&mut context.memory().entry(key.clone()).or_default().suspended, true);
    if pass.triggers.contains(TriggerSet::SUSPENSION) && !known {
        tracing::info!("suspended");
        send_event(context, pass, object, "Suspended", "the object is not reconciled until it is resumed");
    }
    let backend = backend::backend(context, pass, object);
    let state = PassState::new(object, *context.wiring, backend.clone());
    let intent = state.frozen(context.wiring.suspend.is_some_and(|suspend| suspend.record));
    stamp(context, pass, object, &backend, &state.found(), &intent).await
}

/// Logs the end of a suspension that this process has seen, and emits an event.
pub(in crate::pass) fn note_resumed(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object) {
    let was = context.memory().get_mut(pass.key).is_some_and(|memory| {
        memory.other_operator = None;
        std::mem::take(&mut memory.suspended)
    });
    if was {
        tracing::info!("resumed");
        send_event(context, pass, object, "Resumed", "the object is reconciled again");
    }
}
