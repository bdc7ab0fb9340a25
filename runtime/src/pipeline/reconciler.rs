//! The reconciler: the functions that `#[reconciler]` generates.

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
    /// The dependencies: one type, or a tuple in the order of the parameters after object and context; for an `impl` block, the struct.
    type Deps: Send + Sync + 'static;
    /// The condition set.
    type Conditions: ConditionSet;
    /// The wiring of the reconciler, known at compile time.
    const WIRING: Wiring;

    /// The delay until the next pass after a success, before jitter. `None` waits for a change.
    fn requeue(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// The delay until the next try after a failure, before jitter. `None` uses the backoff.
    fn retry(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// The timeout of a pass. `None` uses the timeout of the [wiring](Wiring::timeout).
    fn timeout(_object: &Self::Object) -> Option<Duration> {
        None
    }

    /// Whether the field of `suspend = spec.field` suspends the object.
    fn is_suspended(_object: &Self::Object) -> bool {
        false
    }

    /// The function of `filter = ..`: whether the object is reconciled.
    fn filter(_object: &Self::Object) -> bool {
        true
    }

    /// The objects of the same kind that must be ready first, from the field or function of `depends_on = ..`.
    fn depends_on(_object: &Self::Object) -> Cow<'_, [Reference]> {
        Cow::Borrowed(&[])
    }

    /// The function of `after = ..`.
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
