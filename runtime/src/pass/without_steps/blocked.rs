//! The pass of an object whose policy cannot be read, or whose dependencies are not ready.

use crate::outcome::PassError;
use crate::pass::context::PassContext;
use crate::pass::decide::dependencies::DEPENDENCIES;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::run::{BodyEnd, BodyResult};
use crate::pass::{backend, finish};
use crate::pipeline::object::Object;
use crate::pipeline::state::PassState;
use crate::queue::Next;

/// Ends the pass with the error and runs no step.
pub(in crate::pass) async fn block(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    error: PassError,
) -> Next {
    let backend = backend::backend(context, pass, object);
    let mut state = PassState::new(object, *context.wiring, backend.clone());
    state.block(&error);
    backend.tracked().watched.insert(DEPENDENCIES.to_owned(), error.message.clone());
    let result = BodyResult { outcome: state.outcome(Some(error.clone())), error: Some(error), claimed: Vec::new() };
    finish::finish(context, pass, object, BodyEnd { state, backend, result }).await
}
