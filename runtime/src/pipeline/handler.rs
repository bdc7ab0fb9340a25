//! The functions of an author other than steps: cleanups, observers, claims and hooks.

use std::future::Future;

use crate::outcome::ReconcileError;
use crate::pipeline::context::Cx;
use crate::pipeline::reconciler::Reconciler;
use crate::pipeline::step::SubReconciler;
use crate::wiring::When;

/// The cleanup of a step within a reconciler.
#[doc(hidden)]
pub trait Undo<S: SubReconciler, R: Reconciler> {
    /// The name of the function.
    const NAME: &'static str;
    /// Whether it may delete objects that the step owns.
    const DELETES: bool;
    /// Runs the cleanup with the dependencies of the reconciler.
    fn undo(
        object: &R::Object,
        deps: &R::Deps,
        cx: &mut Cx<'_, S>,
    ) -> impl Future<Output = Result<(), S::Error>> + Send;
}

/// A step with the argument `site`.
#[cfg(feature = "dependents")]
#[doc(hidden)]
pub trait HasSite: SubReconciler {
    /// Finds the site, and lets the calls of the step act there.
    fn find_site(object: &Self::Object, cx: &mut Cx<'_, Self>) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The cleanup of a step that is not external: it does nothing.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct NoCleanup;

impl<S: SubReconciler, R: Reconciler> Undo<S, R> for NoCleanup {
    const NAME: &'static str = "";
    const DELETES: bool = false;

    async fn undo(_: &R::Object, _: &R::Deps, _: &mut Cx<'_, S>) -> Result<(), S::Error> {
        Ok(())
    }
}

/// The function that runs instead of the steps when the policy of an object forbids changes. `#[observe]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer of this reconciler",
    label = "not an `#[observe]` for its kind and conditions",
    note = "mark the function with `#[observe(sets(..))]`"
)]
pub trait Observe<R: Reconciler>: SubReconciler {
    /// Runs the observer with the dependencies of the reconciler.
    fn observe(
        object: &R::Object,
        deps: &R::Deps,
        cx: &mut Cx<'_, Self>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// The function that prepares an object before its finalizer is stored and before any side effect. `#[claim]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a claim of this reconciler",
    label = "not a `#[claim]`, or it takes a dependency that the reconciler does not have",
    note = "mark the function with `#[claim]`"
)]
pub trait Claim<R: Reconciler>: Sized {
    /// The error that it returns.
    type Error: ReconcileError;
    /// The name of the function.
    const NAME: &'static str;
    /// Whether it takes no dependency, so that it changes nothing but the object.
    const IS_PURE: bool = false;
    /// Runs the claim with the dependencies of the reconciler.
    fn claim(object: &mut R::Object, deps: &R::Deps) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A function that runs at a point in the life of an object, separately from the steps. `#[hook(..)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook of this reconciler",
    label = "not a `#[hook]`, or it takes a dependency that the reconciler does not have",
    note = "mark the function with `#[hook(before_steps)]`"
)]
pub trait Hooked<R: Reconciler>: Sized {
    /// The error that it returns.
    type Error: ReconcileError;
    /// The name of the function.
    const NAME: &'static str;
    /// The point at which it runs.
    const WHEN: When;
    /// Runs the hook with the dependencies of the reconciler.
    fn hook(object: &R::Object, deps: &R::Deps) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A reconciler that has a dependency of this type for a cleanup, an observer, a claim or a hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no dependency `{T}`",
    label = "required by a cleanup, an observer, a claim, a hook or a daemon",
    note = "add a `&{T}` parameter to `{Self}`; for a struct, write `impl Provides<{T}> for {Self}`"
)]
pub trait Provides<T: ?Sized>: Reconciler {
    /// The dependency.
    fn provide(deps: &Self::Deps) -> &T;
}
