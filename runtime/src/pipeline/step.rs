//! Steps: what a sub-reconciler declares, and who may do what.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use crate::condition::ConditionSet;
use crate::kind::WakeUp;
use crate::outcome::ReconcileError;
use crate::pipeline::context::Cx;
use crate::pipeline::object::Primary;
use crate::pipeline::reconciler::Reconciler;
use crate::wiring::{Kind, StepWiring, When};

/// A step of a pipeline. `#[sub_reconciler]` implements it on a type with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step",
    label = "not a `#[sub_reconciler]`",
    note = "a pipeline calls steps only: mark the function with `#[sub_reconciler(sets(..))]`"
)]
pub trait SubReconciler: Sized + Send + 'static {
    /// The kind that the step works on.
    type Object: Primary;
    /// The set that its conditions belong to.
    type Conditions: ConditionSet;
    /// What it fails with.
    type Error: ReconcileError;
    /// What undoes it: its cleanup where it is `external`, [`NoCleanup`] otherwise.
    #[doc(hidden)]
    type Undo;
    /// What it declared.
    const WIRING: StepWiring;
}

/// A step that makes something outside the cluster can undo it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` makes something outside the cluster, and nothing removes it",
    label = "`external`, but without a cleanup",
    note = "write a `#[cleanup(of = {Self})]` function"
)]
#[doc(hidden)]
pub trait HasCleanup {
    /// The cleanup.
    type Cleanup;
}

/// The same, once `N` is known: it is what [`has_cleanup`](crate::pipeline::has_cleanup) returns.
#[doc(hidden)]
pub trait CleanedUp<const N: usize> {
    /// The cleanup.
    type Cleanup;
}

#[diagnostic::do_not_recommend]
impl<S: HasCleanup, const N: usize> CleanedUp<N> for S {
    type Cleanup = S::Cleanup;
}

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

/// An object that a step needs is not there. Only [`Cx::require`] makes one, where the kind is watched: its appearance wakes.
pub struct Absent<K> {
    name: String,
    why: Option<String>,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Absent<K> {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), why: None, kind: PhantomData }
    }

    pub(crate) fn unreadable(name: impl Into<String>, why: impl fmt::Display) -> Self {
        Self { name: name.into(), why: Some(why.to_string()), kind: PhantomData }
    }

    /// The name of the object.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<K: Kind> fmt::Display for Absent<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = K::kind(&());
        match &self.why {
            None => write!(f, "{kind} \"{}\" is not there yet", self.name),
            Some(why) => write!(f, "{kind} \"{}\" cannot be read: {why}", self.name),
        }
    }
}

impl<K: Kind> fmt::Debug for Absent<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Absent({self})")
    }
}

impl<K: Kind> std::error::Error for Absent<K> {}

impl<K: Kind> WakeUp for Absent<K> {
    type Kind = K;
}
