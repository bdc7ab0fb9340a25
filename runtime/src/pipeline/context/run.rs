//! Runs a step: what happens to the draft before and after the author's code.

use std::fmt::Display;
use std::marker::PhantomData;

use super::timeout::Limit;
use super::{Cx, Pass};
use crate::api::BoxFuture;
use crate::interval::Clamped;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, Flow, Halt, ReconcileError};
use crate::pipeline::state::Draft;
use crate::pipeline::step::SubReconciler;
use crate::wiring::StepWiring;
use crate::wiring::handler::Erased;

/// Starts a step: its context, and the limit within which it runs.
pub(crate) fn begin<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> (Cx<'a, S>, Limit) {
    let step = const { &S::WIRING };
    pass.draft.begin(step);
    (Cx { draft: pass.draft, said: 0, named: None, step: PhantomData }, Limit(step))
}

/// The type of a step, and the function that converts an object of the pipeline to the step's object. A tag exists only for a step that
/// fits the pipeline, so a function that takes one needs no bound for it.
#[derive(Debug)]
pub struct Tag<S: SubReconciler, O>(pub(crate) fn(&O) -> &S::Object);

/// The pipeline of a reconciler: for objects of `O`, with the conditions `C`.
#[derive(Debug)]
pub struct Pipeline<O, C>(PhantomData<fn() -> (O, C)>);

/// Nothing but the types.
#[must_use]
pub const fn pipeline<O, C>() -> Pipeline<O, C> {
    Pipeline(PhantomData)
}

impl<O, C> Pipeline<O, C> {
    /// Starts a step, and hands it the object as it sees it.
    pub fn begin<'a, 'o, S: SubReconciler>(
        &self,
        Tag(seen): Tag<S, O>,
        object: &'o O,
        pass: &'a mut Pass<'_>,
    ) -> (Cx<'a, S>, &'o S::Object, Limit) {
        let (cx, limit) = begin(pass);
        (cx, seen(object), limit)
    }
}

/// Ends a step of a pipeline: marks conditions by its result. `None`: it did not end in time.
#[doc(hidden)]
#[expect(clippy::needless_pass_by_value, reason = "the context of a step ends here")]
pub fn finish<S: SubReconciler, T>(done: Option<Result<T, S::Error>>, cx: Cx<'_, S>) -> Result<T, Halt> {
    end(done, cx.draft, cx.said, cx.named)
}

/// Steps that return the same share this.
fn end<T, E: ReconcileError>(
    done: Option<Result<T, E>>,
    draft: &mut Draft,
    said: u64,
    named: Option<usize>,
) -> Result<T, Halt> {
    draft.running = false;
    let late = done.is_none();
    let ended = settled(done, draft);
    draft.ended(how(late, ended.as_ref().err()));
    match &ended {
        Ok(_) => draft.succeed(said),
        // What stops the pipeline is marked, unless it is nothing.
        Err(halt) if halt.class == Class::Ignored => {}
        Err(halt) => draft.fail(named, halt.reason, &halt.message),
    }
    ended
}

/// How a step ended, in a word for those who count.
pub(super) fn how(late: bool, halt: Option<&Halt>) -> &'static str {
    match halt {
        None => "success",
        Some(_) if late => "timeout",
        Some(halt) => halt.class.as_str(),
    }
}

/// The value of a step, or what stops the pipeline: its error, or that it did not end in time.
pub(super) fn settled<T, E: ReconcileError>(done: Option<Result<T, E>>, draft: &mut Draft) -> Result<T, Halt> {
    match done {
        Some(ended) => ended.map_err(|error| stop(draft, &error)),
        None => Err(late(draft)),
    }
}

/// The step that runs did not end in time.
fn late(draft: &Draft) -> Halt {
    let timeout = draft.step.and_then(|step| step.timeout).unwrap_or_default();
    Halt::timed_out(&draft.running_part(), timeout)
}

/// What an error of a step comes to.
pub(super) fn stop(draft: &mut Draft, error: &impl ReconcileError) -> Halt {
    if let Some(halt) = draft.foreign.handed_on(error) {
        return halt;
    }
    let halt = halt(draft, error.class(), error.reason(), error, error.actions());
    Halt { retry: error.retry(), ..halt }
}

/// Errors of all types share this.
fn halt(draft: &mut Draft, class: Class, reason: &'static str, text: &dyn Display, actions: Actions) -> Halt {
    let class = match class {
        Class::Waiting { poll: Some(poll) } => {
            Class::Waiting { poll: Some(Clamped::clamp("poll time", poll, &mut draft.clamped)) }
        }
        class => class,
    };
    Halt::new(class, reason, &text.to_string(), actions)
}

/// Undoes the steps on the delete path, the last first. On the heap, so that it is compiled here and not for each reconciler.
pub(crate) fn undo_all<'a>(
    steps: &'static [StepWiring],
    object: &'a Erased,
    deps: &'a Erased,
    pass: &'a mut Pass<'_>,
) -> BoxFuture<'a, Flow> {
    Box::pin(async move {
        for undo in steps.iter().rev().filter_map(|step| step.undo) {
            undo(object, deps, &mut *pass.draft).await?;
        }
        Ok(())
    })
}
