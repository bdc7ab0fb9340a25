//! Steps: the declarations of a sub-reconciler.

use std::fmt;
use std::marker::PhantomData;

use crate::condition::ConditionSet;
use crate::kind::TriggeredBy;
use crate::outcome::ReconcileError;
#[cfg(feature = "dependents")]
use crate::pipeline::dependents::SetSettings;
use crate::pipeline::object::Primary;
use crate::wiring::{Kind, StepWiring};

pub use super::handler::{Claim, Hooked, NoCleanup, Observe, Provides, Undo};

/// A step of a pipeline. `#[sub_reconciler]` implements it on a type with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step",
    label = "not a `#[sub_reconciler]`",
    note = "a pipeline calls steps only: mark the function with `#[sub_reconciler(sets(..))]`"
)]
pub trait SubReconciler: Sized + Send + 'static {
    /// The kind that the step works on.
    type Object: Primary;
    /// The condition set of the step.
    type Conditions: ConditionSet;
    /// The error that the step returns.
    type Error: ReconcileError;
    /// Its cleanup if it is `external`, otherwise [`NoCleanup`].
    #[doc(hidden)]
    type Undo;
    /// The wiring of the step.
    const WIRING: StepWiring;
    /// The settings of its set of dependents; `None`: it keeps none.
    #[doc(hidden)]
    #[cfg(feature = "dependents")]
    #[must_use]
    fn dependents(_: &Self::Object) -> Option<SetSettings> {
        None
    }
}

/// An external step with a cleanup that undoes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` creates something outside the cluster, and nothing removes it",
    label = "`external`, but without a cleanup",
    note = "write a `#[cleanup(of = {Self})]` function"
)]
#[doc(hidden)]
pub trait HasCleanup {
    /// The cleanup.
    type Cleanup;
}

/// The same for a known `N`, the value of [`has_cleanup`](crate::pipeline::has_cleanup).
#[doc(hidden)]
pub trait CleanedUp<const N: usize> {
    /// The cleanup.
    type Cleanup;
}

#[diagnostic::do_not_recommend]
impl<S: HasCleanup, const N: usize> CleanedUp<N> for S {
    type Cleanup = S::Cleanup;
}

/// The error for a required object that is absent. Only [`Cx::require`](crate::Cx::require) returns it, for watched kinds: when the object
/// appears, a reconcile is triggered.
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
            None => write!(f, "{kind} \"{}\" does not exist yet", self.name),
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

impl<K: Kind> TriggeredBy for Absent<K> {
    type Kind = K;
}
