//! Running a step: what happens to the draft before and after the author's code.

use std::future::Future;
use std::marker::PhantomData;

use super::{Cx, Pass};
use crate::condition::sanitize;
use crate::draft::Draft;
use crate::interval::Clamped;
use crate::outcome::{Class, Halt, ReconcileError};
use crate::reconciler::Reconciler;
use crate::step::{SubReconciler, Undo};

fn enter<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> Cx<'a, S> {
    Cx { draft: pass.draft, said: 0, named: None, recorded: false, step: PhantomData }
}

/// Starts a step of a pipeline.
#[doc(hidden)]
pub(crate) fn begin<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> Cx<'a, S> {
    pass.draft.begin(S::WIRING);
    enter(pass)
}

/// Runs the future of a step in its span.
#[doc(hidden)]
pub(crate) fn traced<S: SubReconciler, F: Future>(step: F) -> tracing::instrument::Instrumented<F> {
    tracing::Instrument::instrument(step, tracing::info_span!("step", step = S::WIRING.name))
}

/// Ends a step of a pipeline: marks conditions by its result.
#[doc(hidden)]
pub fn finish<S: SubReconciler, T>(cx: Cx<'_, S>, result: Result<T, S::Error>) -> Result<T, Halt> {
    let Cx { draft, said, named, .. } = cx;
    draft.running = false;
    match result {
        Ok(value) => {
            draft.succeed(said);
            Ok(value)
        }
        Err(error) => Err(halt(draft, named, &error)),
    }
}

fn halt(draft: &mut Draft, named: Option<usize>, error: &impl ReconcileError) -> Halt {
    let halt = stop(draft, error);
    if halt.class != Class::Ignored {
        draft.fail(named, halt.reason, &halt.message);
    }
    halt
}

/// The error as what stops a pipeline.
pub(super) fn stop(draft: &mut Draft, error: &impl ReconcileError) -> Halt {
    let class = match error.class() {
        Class::Waiting { poll: Some(poll) } => {
            Class::Waiting { poll: Some(Clamped::clamp("poll time", poll, &mut draft.clamped)) }
        }
        class => class,
    };
    Halt { class, reason: error.reason(), message: sanitize(&error.to_string()), actions: error.actions() }
}

/// Undoes a step on the delete path, where it is external.
#[doc(hidden)]
pub(crate) async fn undo<S, R>(object: &R::Object, deps: &R::Deps, pass: &mut Pass<'_>) -> Result<(), Halt>
where
    S: SubReconciler<Undo: Undo<S, R>>,
    R: Reconciler,
{
    if !S::WIRING.external {
        return Ok(());
    }
    pass.draft.step = Some(S::WIRING);
    let mut cx = enter::<S>(pass);
    match traced::<S, _>(<S::Undo as Undo<S, R>>::undo(object, deps, &mut cx)).await {
        Ok(()) => Ok(()),
        Err(error) => Err(halt(cx.draft, cx.named, &error)),
    }
}
