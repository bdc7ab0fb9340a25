//! Runs a list of steps and folds their results into one.

use super::{ReconcileResult, Reconciled};
use crate::api::BoxFuture;

/// A step of a list. `S` is the state that the steps of one run share: clients, scratch space, results of earlier steps.
///
/// ```
/// use futures::future::BoxFuture;
/// use evenkeel::flux::{ReconcileResult, Reconciled, Step};
///
/// fn fetch<'r>(name: &'r mut String, revision: &'r mut Option<u32>) -> BoxFuture<'r, Reconciled> {
///     Box::pin(async move {
///         *revision = Some(name.parse()?);
///         Ok(ReconcileResult::Success)
///     })
/// }
/// let steps: [Step<String, Option<u32>>; 1] = [fetch];
/// ```
pub type Step<K, S> = for<'r> fn(&'r mut K, &'r mut S) -> BoxFuture<'r, Reconciled>;

/// Runs the steps in order and folds their results. An error or a [`Requeue`](ReconcileResult::Requeue) stops the list and is its result.
/// [`Empty`](ReconcileResult::Empty) does not stop it.
///
/// # Errors
/// The error of the step that stopped the list.
pub async fn run_steps<K, S>(object: &mut K, shared: &mut S, steps: &[Step<K, S>]) -> Reconciled {
    let mut folded = ReconcileResult::Empty;
    for step in steps {
        match step(object, shared).await? {
            ReconcileResult::Requeue => return Ok(ReconcileResult::Requeue),
            result => folded = folded.lowest_requeuing(result),
        }
    }
    Ok(folded)
}
