//! Runs a step: changes to the draft before and after the author's code.

use std::fmt::Display;
use std::marker::PhantomData;

use super::timeout::Limit;
use super::{Cx, Pass};
use crate::api::{BoxFuture, FOREIGN};
use crate::interval::Clamped;
use crate::outcome::reporting::Actions;
use crate::outcome::retry::Retry;
use crate::outcome::{Class, PassError, PassResult, ReconcileError};
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::{DependentsError, check_deletion, remove_set};
use crate::pipeline::state::{Failure, PassState};
use crate::pipeline::step::SubReconciler;
use crate::wiring::StepWiring;
use crate::wiring::handler::Erased;

/// Starts a step and returns its context and its time limit.
pub(crate) fn begin<'a, S: SubReconciler>(pass: &'a mut Pass<'_>) -> (Cx<'a, S>, Limit) {
    let step = const { &S::WIRING };
    pass.state.begin(step);
    let limit = Limit::of(step, pass.state);
    (Cx { state: pass.state, set_bits: 0, named: None, step: PhantomData }, limit)
}

/// The type of a step, with the function that converts an object of the pipeline to the step's object.
/// A tag exists only for a step that fits the pipeline, so a function that takes one needs no further bound.
#[derive(Debug)]
pub struct StepTag<S: SubReconciler, O>(pub(crate) fn(&O) -> &S::Object);

/// The pipeline of a reconciler for objects of type `O` with the conditions `C`.
#[derive(Debug)]
pub struct Pipeline<O, C>(PhantomData<fn() -> (O, C)>);

/// Makes a pipeline, which holds types only.
#[must_use]
pub const fn pipeline<O, C>() -> Pipeline<O, C> {
    Pipeline(PhantomData)
}

impl<O, C> Pipeline<O, C> {
    /// Starts a step of the pipeline and converts the object for it.
    pub fn begin<'a, 'o, S: SubReconciler>(
        &self,
        StepTag(seen): StepTag<S, O>,
        object: &'o O,
        pass: &'a mut Pass<'_>,
    ) -> (Cx<'a, S>, &'o S::Object, Limit) {
        let (cx, limit) = begin(pass);
        // In one expression: code that drops the settings if a call panics would be compiled for each step.
        #[cfg(feature = "dependents")]
        cx.state.begin_set(S::dependents(seen(object)));
        (cx, seen(object), limit)
    }
}

/// Ends a step of a pipeline and sets its conditions according to the result. `None`: it timed out.
#[doc(hidden)]
#[expect(clippy::needless_pass_by_value, reason = "the context of a step ends here")]
pub fn finish<S: SubReconciler, T>(done: Option<Result<T, S::Error>>, cx: Cx<'_, S>) -> Result<T, PassError> {
    end(done, cx.state, cx.set_bits, cx.named)
}

/// The same for a step without a used result. In a dry run the pipeline continues after a halted one.
#[doc(hidden)]
#[expect(clippy::needless_pass_by_value, reason = "the context of a step ends here")]
pub fn conclude<S: SubReconciler, T>(done: Option<Result<T, S::Error>>, cx: Cx<'_, S>) -> Result<(), PassError> {
    end_unused(done, cx.state, cx.set_bits, cx.named)
}

/// Shared by all steps with the same return type, to compile less code.
fn end_unused<T, E: ReconcileError>(
    done: Option<Result<T, E>>,
    state: &mut PassState,
    set_bits: u64,
    named: Option<usize>,
) -> Result<(), PassError> {
    match end(done, state, set_bits, named) {
        Err(_) if state.is_halted() => Ok(()),
        ended => ended.map(drop),
    }
}

/// Shared by all steps with the same return type, to compile less code.
fn end<T, E: ReconcileError>(
    done: Option<Result<T, E>>,
    state: &mut PassState,
    set_bits: u64,
    named: Option<usize>,
) -> Result<T, PassError> {
    state.running = false;
    let late = done.is_none();
    let ended = settled(done, state);
    state.ended(how(late, ended.as_ref().err()));
    match &ended {
        Ok(_) => state.succeed(set_bits),
        // An ignored error stops the pipeline without marking a condition.
        Err(pass_error) if pass_error.class == Class::Ignored => {}
        Err(pass_error) => state.fail(named, pass_error.reason, &pass_error.message),
    }
    ended
}

/// The result of a step as a label for metrics.
pub(super) fn how(late: bool, pass_error: Option<&PassError>) -> &'static str {
    match pass_error {
        None => "success",
        Some(_) if late => "timeout",
        Some(pass_error) => pass_error.class.as_str(),
    }
}

/// The value of a step, or the error that stops the pipeline: the step's own error or its timeout.
pub(super) fn settled<T, E: ReconcileError>(done: Option<Result<T, E>>, state: &mut PassState) -> Result<T, PassError> {
    match done {
        Some(ended) => ended.map_err(|error| stop(state, &error)),
        None if state.is_halted() => Err(PassError::halted()),
        None => Err(late(state)),
    }
}

/// The error of the current step when it has timed out.
fn late(state: &PassState) -> PassError {
    let timeout = state.step.and_then(|step| step.timeout).unwrap_or_default();
    let error = PassError::timed_out(&state.running_part(), timeout);
    #[cfg(feature = "dependents")]
    state.backend.step_failed(state.step_name(), &error);
    error
}

/// Converts an error of a step into a pass error.
pub(crate) fn stop(state: &mut PassState, error: &impl ReconcileError) -> PassError {
    pass_error(state, (error.class(), error.retry()), error.reason(), error, error.actions())
}

/// Shared by all error types, to compile less code.
fn pass_error(
    state: &mut PassState,
    (class, retry): (Class, Retry),
    reason: &'static str,
    text: &dyn Display,
    actions: Actions,
) -> PassError {
    let (class, actions) = match (class, state.failed_calls.behind(text)) {
        // Always a wait: authors give all call errors one class, but the step cannot succeed before the other owner changes the object.
        (_, Some(Failure::Foreign(wait))) => {
            return PassError::new(wait, FOREIGN, &text.to_string(), wait.actions());
        }
        // No watch triggers the next pass.
        (Class::Waiting { poll: None }, Some(Failure::Failed)) => (Class::Transient, Class::Transient.actions()),
        (Class::Waiting { poll: Some(poll) }, _) => {
            (Class::Waiting { poll: Some(Clamped::clamp("poll time", poll, &mut state.clamped)) }, actions)
        }
        (class, _) => (class, actions),
    };
    let error = PassError { retry, ..PassError::new(class, reason, &text.to_string(), actions) };
    let error = match &mut state.calls {
        None => error,
        Some(calls) => calls.paced(error),
    };
    #[cfg(feature = "dependents")]
    state.backend.step_failed(state.step_name(), &error);
    error
}

/// Undoes the steps on the delete path, in reverse order. Boxed, so that it is compiled here and not once per reconciler.
pub(crate) fn undo_all<'a>(
    steps: &'static [StepWiring],
    object: &'a Erased,
    deps: &'a Erased,
    pass: &'a mut Pass<'_>,
) -> BoxFuture<'a, PassResult> {
    Box::pin(async move {
        #[cfg(feature = "dependents")]
        {
            // What is checked before anything is deleted is at their sites.
            for find_site in steps.iter().rev().filter_map(|step| step.find_site) {
                find_site(object, deps, &mut *pass.state).await?;
            }
            check_sets(steps, object, pass.state).await?;
        }
        for step in steps.iter().rev() {
            #[cfg(feature = "dependents")]
            undo_set(step, object, pass.state).await?;
            if let Some(undo) = step.undo {
                undo(object, deps, &mut *pass.state).await?;
            }
        }
        #[cfg(feature = "dependents")]
        undo_sets(object, pass.state).await?;
        Ok(())
    })
}

/// Checks that the deletion of the dependents deletes nothing of others. An error marks the condition of the last step with dependents.
#[cfg(feature = "dependents")]
async fn check_sets(steps: &'static [StepWiring], object: &Erased, state: &mut PassState) -> PassResult {
    let Some(step) = steps.iter().rfind(|step| step.keeps_dependents()) else { return Ok(()) };
    (state.step, state.cleanup) = (Some(step), None);
    ended_undo(check_deletion(state, object).await, state)
}

/// Removes the dependents of a step on the delete path.
#[cfg(feature = "dependents")]
async fn undo_set(step: &'static StepWiring, object: &Erased, state: &mut PassState) -> PassResult {
    if !step.keeps_dependents() {
        return Ok(());
    }
    (state.step, state.cleanup) = (Some(step), None);
    ended_undo(remove_set(state, Some(step.name), object).await, state)
}

/// Removes what is left of all sets, also of steps that are gone from the code.
#[cfg(feature = "dependents")]
async fn undo_sets(object: &Erased, state: &mut PassState) -> PassResult {
    if !state.wiring.keeps_dependents() && state.sets.is_empty() {
        return Ok(());
    }
    ended_undo(remove_set(state, None, object).await, state)
}

#[cfg(feature = "dependents")]
fn ended_undo(ended: Result<(), DependentsError>, state: &mut PassState) -> PassResult {
    ended.map_err(|error| {
        let error = stop(state, &error);
        state.fail(None, error.reason, &error.message);
        error
    })
}
