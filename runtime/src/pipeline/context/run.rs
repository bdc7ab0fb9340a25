//! Running a step: what happens to the draft before and after the author's code.

use std::fmt::Display;
use std::marker::PhantomData;

use super::timeout::Limit;
use super::{Cx, Pass};
use crate::api::BoxFuture;
use crate::interval::Clamped;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, Flow, Halt, ReconcileError};
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::state::Draft;
use crate::pipeline::step::{Claim, Hooked, Observe, SubReconciler, Undo};
use crate::pipeline::{Pipeline, Tag};
use crate::wiring::StepWiring;
use crate::wiring::handler::Erased;

/// Starts a step: its context, and the limit within which it runs.
pub(crate) fn begin<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> (Cx<'a, S>, Limit) {
    let step = const { &S::WIRING };
    pass.draft.begin(step);
    (Cx { draft: pass.draft, said: 0, named: None, step: PhantomData }, Limit(step))
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
fn stop(draft: &mut Draft, error: &impl ReconcileError) -> Halt {
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

/// Object and dependencies in the types that they have.
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
fn known<'a, R: Reconciler>(object: &'a Erased, deps: &'a Erased) -> (&'a R::Object, &'a R::Deps) {
    let object = object.downcast_ref().expect("the object of the reconciler");
    (object, deps.downcast_ref().expect("the dependencies of the reconciler"))
}

/// The pass of this state.
#[allow(clippy::expect_used, reason = "what runs the functions of a wiring hands them the state of the pass")]
fn pass_of(state: &mut Erased) -> Pass<'_> {
    Pass { draft: state.downcast_mut().expect("the state of the pass") }
}

/// Undoes a step, which is external.
pub(crate) fn undo<'a, S, R>(object: &'a Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, Flow>
where
    S: SubReconciler<Undo: Undo<S, R>>,
    R: Reconciler,
{
    let ((object, deps), pass) = (known::<R>(object, deps), pass_of(state));
    Box::pin(async move {
        let step = const { &S::WIRING };
        (pass.draft.step, pass.draft.cleanup) = (Some(step), Some(<S::Undo as Undo<S, R>>::NAME));
        let mut cx = Cx { draft: pass.draft, said: 0, named: None, step: PhantomData };
        let done = Limit(step).run(<S::Undo as Undo<S, R>>::undo(object, deps, &mut cx)).await;
        if matches!(done, Some(Ok(()))) {
            // What was said of the step when it succeeded is not said of its cleanup.
            return Ok(());
        }
        finish(done, cx)
    })
}

/// Runs an observer instead of the steps.
pub(crate) fn observe<'a, S, R>(object: &'a Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, Flow>
where
    S: Observe<R>,
    R: Reconciler,
{
    let ((object, deps), mut pass) = (known::<R>(object, deps), pass_of(state));
    Box::pin(async move {
        pass.draft.observe(const { S::WIRING.sets });
        let (mut cx, limit) = begin::<S>(&mut pass);
        let done = limit.run(S::observe(object, deps, &mut cx)).await;
        finish(done, cx)
    })
}

/// Runs a hook. What ends the pass here is no condition's affair: Ready says it.
pub(crate) fn hook<'a, S, R>(object: &'a Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, Flow>
where
    S: Hooked<R>,
    R: Reconciler,
{
    let ((object, deps), pass) = (known::<R>(object, deps), pass_of(state));
    Box::pin(async move {
        let ended = S::hook(object, deps).await;
        ended.map_err(|error| {
            let halt = stop(pass.draft, &error);
            if halt.class != Class::Ignored {
                pass.draft.block(&halt);
            }
            halt
        })
    })
}

/// Runs a claim.
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
pub(crate) fn claim<'a, S, R>(object: &'a mut Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, Flow>
where
    S: Claim<R>,
    R: Reconciler,
{
    let object: &mut R::Object = object.downcast_mut().expect("the object of the reconciler");
    let deps: &R::Deps = deps.downcast_ref().expect("the dependencies of the reconciler");
    let pass = pass_of(state);
    Box::pin(async move { S::claim(object, deps).await.map_err(|error| stop(pass.draft, &error)) })
}
