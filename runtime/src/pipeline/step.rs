//! Steps: what a sub-reconciler declares.

use std::fmt;
use std::marker::PhantomData;

use crate::condition::ConditionSet;
use crate::kind::WakeUp;
use crate::outcome::ReconcileError;
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

/// An object that a step needs is not there. Only [`Cx::require`](crate::Cx::require) makes one, where the kind is watched: its appearance wakes.
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
