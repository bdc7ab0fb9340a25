//! The functions of an author that run beside the steps: cleanups, observers, claims and hooks.

use std::future::Future;

use crate::outcome::ReconcileError;
use crate::pipeline::context::Cx;
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::step::SubReconciler;
use crate::wiring::When;

/// The undoing of a step within a reconciler.
#[doc(hidden)]
pub trait Undo<S: SubReconciler, R: Reconciler> {
    /// The name of the function.
    const NAME: &'static str;
    /// Runs the cleanup with what the reconciler holds.
    fn undo(
        object: &R::Object,
        deps: &R::Deps,
        cx: &mut Cx<'_, S>,
    ) -> impl Future<Output = Result<(), S::Error>> + Send;
}

/// Nothing to undo.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NoCleanup;

impl<S: SubReconciler, R: Reconciler> Undo<S, R> for NoCleanup {
    const NAME: &'static str = "";

    async fn undo(_: &R::Object, _: &R::Deps, _: &mut Cx<'_, S>) -> Result<(), S::Error> {
        Ok(())
    }
}

/// A step that runs alone where the policy of an object forbids to change anything. `#[observe]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer of this reconciler",
    label = "not an `#[observe]` for its kind and conditions",
    note = "mark the function with `#[observe(sets(..))]`"
)]
pub trait Observe<R: Reconciler>: SubReconciler {
    /// Runs the observer with what the reconciler holds.
    fn observe(
        object: &R::Object,
        deps: &R::Deps,
        cx: &mut Cx<'_, Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What prepares an object before its finalizer is stored and before any side effect. `#[claim]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a claim of this reconciler",
    label = "not a `#[claim]`, or one that asks for what the reconciler does not have",
    note = "mark the function with `#[claim]`"
)]
pub trait Claim<R: Reconciler>: Sized {
    /// What it fails with.
    type Error: ReconcileError;
    /// The name of the function.
    const NAME: &'static str;
    /// Runs the claim with what the reconciler holds.
    fn claim(object: &mut R::Object, deps: &R::Deps) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// What runs at a point in the life of an object, beside the steps. `#[hook(..)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook of this reconciler",
    label = "not a `#[hook]`, or one that asks for what the reconciler does not have",
    note = "mark the function with `#[hook(before)]`"
)]
pub trait Hooked<R: Reconciler>: Sized {
    /// What it fails with.
    type Error: ReconcileError;
    /// The name of the function.
    const NAME: &'static str;
    /// When it runs.
    const WHEN: When;
    /// Runs the hook with what the reconciler holds.
    fn hook(object: &R::Object, deps: &R::Deps) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A reconciler that has a dependency of this type to hand to a cleanup.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `{T}` to hand out",
    label = "a cleanup, an observer, a claim or a hook asks for it",
    note = "add a `&{T}` parameter to `{Self}`; for a struct, write `impl Provides<{T}> for {Self}`"
)]
pub trait Provides<T: ?Sized>: Reconciler {
    /// The dependency.
    fn provide(deps: &Self::Deps) -> &T;
}
