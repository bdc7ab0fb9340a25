//! The reconciler: the entry points that `#[reconciler]` generates.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use crate::condition::ConditionSet;
use crate::dependency::Reference;
use crate::outcome::PassResult;
use crate::pipeline::context::{Pass, undo_all};
use crate::pipeline::hook::Hook;
use crate::pipeline::object::Primary;
use crate::wiring::Wiring;

/// A reconciler. `#[reconciler]` implements it on a type with the name of the function, or on the struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reconciler",
    label = "not a `#[reconciler]`",
    note = "mark the pipeline function with `#[reconciler(conditions = ..)]`"
)]
pub trait Reconciler: Sized + Send + Sync + 'static {
    /// The kind that is reconciled.
    type Object: Primary;
    /// What the pipeline takes beside the object and the context: one type, or a tuple in the order of the parameters; the struct itself.
    type Deps: Send + Sync + 'static;
    /// The conditions.
    type Conditions: ConditionSet;
    /// What is known at compile time.
    const WIRING: Wiring;

    /// When to run again after success, before jitter; `None` awaits a change.
    fn requeue(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// When to try again after a failure, before jitter; `None` follows the back-off curve.
    fn retry(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// How long a pass may take; `None`: as the [wiring](Wiring::timeout) says.
    fn timeout(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// Whether the field that `suspend = spec.field` names suspends the object.
    fn is_suspended(_object: &Self::Object) -> bool {
        false
    }

    /// The objects of the same kind that have to be ready first, as the field or the function of `depends_on = ..` lists them.
    fn depends_on(_object: &Self::Object) -> Cow<'_, [Reference]> {
        Cow::Borrowed(&[])
    }

    /// The function that `after = ..` names.
    #[doc(hidden)]
    fn after() -> Option<Hook<Self::Object>> {
        None
    }

    /// Runs the pipeline.
    fn reconcile(
        object: &Self::Object,
        deps: &Self::Deps,
        pass: &mut Pass<'_>,
    ) -> impl Future<Output = PassResult> + Send;

    /// Undoes the external steps in reverse pipeline order.
    fn cleanup(
        object: &Self::Object,
        deps: &Self::Deps,
        pass: &mut Pass<'_>,
    ) -> impl Future<Output = PassResult> + Send {
        async move { undo_all(Self::WIRING.steps, object, deps, pass).await }
    }
}
