//! The pass of an object with the policy skip, if the reconciler has no observe function.

use crate::pass::backend;
use crate::pass::context::PassContext;
use crate::pass::decide::policy;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::without_steps::stamp;
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::queue::Next;
use crate::status::NOT_FINAL;

/// Records the policy in the status and changes nothing else.
pub(in crate::pass) async fn skip_by_policy(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
) -> Next {
    pass.ends("Skipped");
    let backend = backend::backend(context, pass, object);
    let state = PassState::new(object, *context.wiring, backend.clone());
    let mut intent = state.frozen(false);
    let inputs = intent.observed_inputs.get_or_insert_default();
    policy::policy(context, object).shown().clone_into(&mut inputs.policy);
    // Earlier results may no longer hold when the object is managed again.
    NOT_FINAL.clone_into(&mut inputs.digest);
    stamp(context, pass, object, &backend, &state.found(), &intent).await
}
