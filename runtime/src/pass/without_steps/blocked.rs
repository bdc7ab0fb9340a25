//! The pass of an object whose policy cannot be read, or whose dependencies are not ready.

use crate::outcome::Halt;
use crate::pass::context::PassContext;
use crate::pass::decide::dependencies::DEPENDENCIES;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::run::{BodyEnd, Verdict};
use crate::pass::{backend, finish};
use crate::pipeline::object::Object;
use crate::pipeline::state::Draft;
use crate::queue::Next;

/// A pass that runs no step.
pub(in crate::pass) async fn hold(
    context: &PassContext,
    pass: &mut CurrentPass<'_>,
    object: &Object,
    halt: Halt,
) -> Next {
    let backend = backend::backend(context, pass, object);
    let mut draft = Draft::new(object, *context.wiring, backend.clone());
    draft.block(&halt);
    backend.tracked().watched.insert(DEPENDENCIES.to_owned(), halt.message.clone());
    let verdict = Verdict { outcome: draft.outcome(Some(halt.clone())), halt: Some(halt), claimed: Vec::new() };
    finish::finish(context, pass, object, BodyEnd { draft, backend, verdict }).await
}
