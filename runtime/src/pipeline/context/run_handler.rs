//! Runs the other functions of an author, which the wiring of a reconciler holds type-erased.

use std::marker::PhantomData;

use super::run::{begin, finish, stop};
use super::timeout::Limit;
use super::{Cx, Pass};
use crate::api::BoxFuture;
use crate::outcome::{Class, PassError, PassResult, ReconcileError};
use crate::pipeline::daemon::{Daemon, DaemonOf};
#[cfg(feature = "dependents")]
use crate::pipeline::handler::HasSite;
use crate::pipeline::handler::{Claim, Hooked, Observe, Undo};
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::step::SubReconciler;
use crate::wiring::handler::Erased;

/// The object and the dependencies with their concrete types.
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
fn known<'a, R: Reconciler>(object: &'a Erased, deps: &'a Erased) -> (&'a R::Object, &'a R::Deps) {
    let object = object.downcast_ref().expect("the object of the reconciler");
    (object, deps.downcast_ref().expect("the dependencies of the reconciler"))
}

/// The pass for a type-erased state.
#[allow(clippy::expect_used, reason = "what runs the functions of a wiring hands them the state of the pass")]
fn pass_of(state: &mut Erased) -> Pass<'_> {
    Pass { state: state.downcast_mut().expect("the state of the pass") }
}

/// Runs the cleanup or the site function of a step, which is not a part of its pipeline.
async fn outside<S: SubReconciler>(
    pass: Pass<'_>,
    cleanup: Option<&'static str>,
    run: impl AsyncFnOnce(&mut Cx<'_, S>) -> Result<(), S::Error>,
) -> PassResult {
    let step = const { &S::WIRING };
    (pass.state.step, pass.state.cleanup) = (Some(step), cleanup);
    if let Some(name) = cleanup
        && pass.state.reports_instead(&format!("the cleanup `{name}`"))
    {
        return Ok(());
    }
    let limit = Limit::of(step, pass.state);
    let mut cx = Cx { state: pass.state, set_bits: 0, named: None, step: PhantomData };
    let done = limit.run(run(&mut cx)).await;
    if matches!(done, Some(Ok(()))) {
        // Without `finish`, which would set the conditions of the step as after its success.
        return Ok(());
    }
    finish(done, cx)
}

/// Undoes an external step.
pub(crate) fn undo<'a, S, R>(object: &'a Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, PassResult>
where
    S: SubReconciler<Undo: Undo<S, R>>,
    R: Reconciler,
{
    let ((object, deps), pass) = (known::<R>(object, deps), pass_of(state));
    let name = <S::Undo as Undo<S, R>>::NAME;
    Box::pin(outside(pass, Some(name), async |cx: &mut Cx<'_, S>| {
        <S::Undo as Undo<S, R>>::undo(object, deps, cx).await
    }))
}

/// Finds the site of a step outside of the step itself.
#[cfg(feature = "dependents")]
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
pub fn find_site<'a, S: HasSite>(
    object: &'a Erased,
    _: &'a Erased,
    state: &'a mut Erased,
) -> BoxFuture<'a, PassResult> {
    let object: &S::Object = object.downcast_ref().expect("the object of the step");
    Box::pin(outside(pass_of(state), None, async |cx: &mut Cx<'_, S>| S::find_site(object, cx).await))
}

/// Runs an observer instead of the steps.
pub(crate) fn observe<'a, S, R>(
    object: &'a Erased,
    deps: &'a Erased,
    state: &'a mut Erased,
) -> BoxFuture<'a, PassResult>
where
    S: Observe<R>,
    R: Reconciler,
{
    let ((object, deps), mut pass) = (known::<R>(object, deps), pass_of(state));
    Box::pin(async move {
        pass.state.observe(const { S::WIRING.sets });
        let (mut cx, limit) = begin::<S>(&mut pass);
        let done = limit.run(S::observe(object, deps, &mut cx)).await;
        finish(done, cx)
    })
}

/// Runs a hook. An error of a hook marks no condition of a step; Ready reports it.
pub(crate) fn hook<'a, S, R>(object: &'a Erased, deps: &'a Erased, state: &'a mut Erased) -> BoxFuture<'a, PassResult>
where
    S: Hooked<R>,
    R: Reconciler,
{
    let ((object, deps), pass) = (known::<R>(object, deps), pass_of(state));
    Box::pin(async move {
        if pass.state.reports_instead(&format!("the hook `{}`", S::NAME)) {
            return Ok(());
        }
        let ended = S::hook(object, deps).await;
        ended.map_err(|error| {
            let pass_error = stop(pass.state, &error);
            if pass_error.class != Class::Ignored {
                pass.state.block(&pass_error);
            }
            pass_error
        })
    })
}

/// Runs a daemon.
#[allow(clippy::expect_used, reason = "what runs a daemon hands it its handle")]
pub(crate) fn run_daemon<'a, S, R>(
    object: &'a Erased,
    deps: &'a Erased,
    handle: &'a Erased,
) -> BoxFuture<'a, PassResult>
where
    S: DaemonOf<R>,
    R: Reconciler,
{
    let (object, deps) = known::<R>(object, deps);
    let handle: &Daemon = handle.downcast_ref().expect("the handle of the daemon");
    Box::pin(async move {
        let failed = |error: S::Error| {
            let error_ = PassError::new(error.class(), error.reason(), &error.to_string(), error.actions());
            PassError { retry: error.retry(), ..error_ }
        };
        S::run(object, deps, handle).await.map_err(failed)
    })
}

/// Runs a claim.
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
pub(crate) fn claim<'a, S, R>(
    object: &'a mut Erased,
    deps: &'a Erased,
    state: &'a mut Erased,
) -> BoxFuture<'a, PassResult>
where
    S: Claim<R>,
    R: Reconciler,
{
    let object: &mut R::Object = object.downcast_mut().expect("the object of the reconciler");
    let deps: &R::Deps = deps.downcast_ref().expect("the dependencies of the reconciler");
    let pass = pass_of(state);
    Box::pin(async move { S::claim(object, deps).await.map_err(|error| stop(pass.state, &error)) })
}
