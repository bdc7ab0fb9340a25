//! The pass of an unchanged object, which stores its late digest if that is due.

use futures::FutureExt;

use crate::pass::backend;
use crate::pass::context::{PassContext, observed};
use crate::pass::finish::{late_digest, schedule, take_over};
use crate::pass::memory::late_digest::LateDigest;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::without_steps::{stamp, unstamped};
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::queue::Next;
use crate::trigger::text;

/// Stores the late digest if it is due, and schedules the next pass.
pub(in crate::pass) async fn reconcile_unchanged(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
) -> Next {
    let seen = observed(context.wiring, object);
    let late = seen.inputs.as_deref().and_then(|inputs| late_digest::late(context, pass.key, inputs));
    let next = match late.filter(|late| late.is_due()) {
        None => return schedule::next_unchanged(context, object, &seen, late),
        Some(late) => store_digest(context, pass, object, late).boxed().await,
    };
    match next {
        Next::Await => schedule::next_unchanged(context, object, &seen, None),
        other => other,
    }
}

async fn store_digest(context: &PassContext, pass: &mut CurrentPass<'_>, object: &Object, late: LateDigest) -> Next {
    let backend = backend::backend(context, pass, object);
    if let Err(unwritten) = take_over::take_over(context, object, &backend).await {
        return unstamped(context, pass.key, &backend, unwritten);
    }
    let state = PassState::new(object, *context.wiring, backend.clone());
    let mut intent = state.frozen(false);
    let inputs = intent.observed_inputs.get_or_insert_default();
    (inputs.digest, inputs.wiring) = (text(late.digest), context.wiring_hash.clone());
    tracing::debug!("storing the digest");
    stamp(context, pass, object, &backend, &state.found(), &intent).await
}
