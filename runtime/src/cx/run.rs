//! Running a step: what happens to the draft before and after the author's code.

use std::future::Future;
use std::marker::PhantomData;

use super::limit::{self, Bounded};
use super::{Cx, Pass};
use crate::condition::sanitize;
use crate::draft::Draft;
use crate::interval::Clamped;
use crate::outcome::{Class, Halt, ReconcileError};
use crate::pipeline::Lent;
use crate::reconciler::Reconciler;
use crate::step::{SubReconciler, Undo};

fn enter<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> Cx<'a, S> {
    Cx { draft: pass.draft, said: 0, named: None, recorded: false, step: PhantomData }
}

impl<'y, S> Cx<'y, S> {
    /// The context for the function of the step. A method, since it stands in every call that is printed.
    #[doc(hidden)]
    pub fn lend<'a>(&'a mut self) -> S::Context
    where
        S: Lent<'a, 'y>,
    {
        S::lend(self)
    }
}

/// Starts a step of a pipeline.
#[doc(hidden)]
pub(crate) fn begin<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> Cx<'a, S> {
    pass.draft.begin(S::WIRING);
    enter(pass)
}

/// Runs the future of a step in its span, and drops it after the time-out of the step.
#[doc(hidden)]
pub(crate) fn bounded<S: SubReconciler, F: Future>(step: F) -> Bounded<F> {
    let step = tracing::Instrument::instrument(step, tracing::info_span!("step", step = S::WIRING.name));
    limit::within(S::WIRING.timeout, step)
}

/// Ends a step of a pipeline: marks conditions by its result. `Err(_)`: it did not end in time.
#[doc(hidden)]
#[expect(clippy::needless_pass_by_value, reason = "the context of a step ends here")]
pub fn finish<S: SubReconciler, T, X>(cx: Cx<'_, S>, done: Result<Result<T, S::Error>, X>) -> Result<T, Halt> {
    cx.draft.running = false;
    let value = marked::<S, T, X>(cx.draft, cx.named, done)?;
    cx.draft.succeed(cx.said);
    Ok(value)
}

/// What stops the pipeline is marked, unless it is nothing.
fn marked<S: SubReconciler, T, X>(
    draft: &mut Draft,
    named: Option<usize>,
    done: Result<Result<T, S::Error>, X>,
) -> Result<T, Halt> {
    let ended = settled::<S, T, X>(draft, done);
    if let Some(halt) = ended.as_ref().err().filter(|halt| halt.class != Class::Ignored) {
        draft.fail(named, halt.reason, &halt.message);
    }
    ended
}

/// The value of a step, or what stops the pipeline: its error, or that it did not end in time.
pub(super) fn settled<S: SubReconciler, T, X>(
    draft: &mut Draft,
    done: Result<Result<T, S::Error>, X>,
) -> Result<T, Halt> {
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(stop(draft, &error)),
        Err(_) => Err(Halt::timed_out(S::WIRING.name, S::WIRING.timeout.unwrap_or_default())),
    }
}

fn stop(draft: &mut Draft, error: &impl ReconcileError) -> Halt {
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
    let done = bounded::<S, _>(<S::Undo as Undo<S, R>>::undo(object, deps, &mut cx)).await;
    marked::<S, (), _>(cx.draft, cx.named, done)
}
