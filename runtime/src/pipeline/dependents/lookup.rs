//! What is known of the objects of a set.

use std::collections::{BTreeMap, HashMap};

use futures::StreamExt;
use futures::future::{BoxFuture, ready};
use futures::stream::iter;

use super::error::DependentsError;
use crate::api::{ApiError, Backend, DependentCalls};
use crate::dependent_rules::manifest::{InvalidManifest, ObjectId};
use crate::dependent_rules::plan::{Item, Live, LiveObject};
use crate::pipeline::state::PassState;

/// The calls for dependents.
pub(super) fn calls_of(backend: &dyn Backend) -> Result<&dyn DependentCalls, ApiError> {
    let text = "a trial of one step has no dependents; run the reconciler in a test of the whole operator";
    backend.dependents().ok_or_else(|| ApiError::Failed(text.into()))
}

/// The error for an object that two steps want.
pub(super) fn wanted_twice(id: ObjectId, other: &str) -> InvalidManifest {
    let problem = format!("the step {other} wants it, too; an object is in one set only");
    InvalidManifest::new(id, "metadata.name", problem)
}

/// `Deployment.apps`.
pub(super) fn kind_text(id: &ObjectId) -> String {
    if id.group.is_empty() { id.kind.clone() } else { format!("{}.{}", id.kind, id.group) }
}

pub(super) fn content(item: &Item) -> String {
    item.applied.content.map(|content| content.to_string()).unwrap_or_default()
}

/// The objects of the current step that were ready and have been purged.
pub(super) fn completed(state: &PassState) -> BTreeMap<String, String> {
    state.sets.get(&state.set_key()).map(|status| status.completed.clone()).unwrap_or_default()
}

/// Whether a record says that the object was ready and has been purged.
pub(super) fn is_completed(completed: &BTreeMap<String, String>, item: &Item) -> bool {
    completed.get(&item.id.to_string()).is_some_and(|digest| *digest == content(item))
}

/// The objects whose calls were refused, by their places in the plan.
pub(super) type Refused = BTreeMap<usize, DependentsError>;

/// What is known of the objects of a plan.
pub(super) type Known = HashMap<ObjectId, LiveObject>;

/// What the API server has of an object, for the rules of the plan.
pub(super) fn live_of<'a>(known: &'a Known, is_refused: bool, id: &ObjectId) -> Live<'a> {
    match known.get(id) {
        _ if is_refused => Live::Refused,
        Some(live) => Live::Object(live),
        None => Live::Absent,
    }
}

/// The most calls of a component at the same time.
const CONCURRENCY: usize = 8;

/// Sends calls at the same time, as many as a component may, and returns what they return. They start in their order, and each is made only
/// then: one takes more memory than its object.
pub(super) async fn concurrently<'c, T>(calls: impl Iterator<Item = BoxFuture<'c, Option<T>>> + Send) -> Vec<T> {
    iter(calls).buffer_unordered(CONCURRENCY).filter_map(ready).collect().await
}

/// The wave and the objects that are waited for.
pub(super) struct StageEnd {
    pub(super) wave: Option<i16>,
    pub(super) waits: Vec<usize>,
}
