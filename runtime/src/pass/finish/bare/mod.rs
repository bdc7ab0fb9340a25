//! Stores the status of a bare object: always in memory, and in the object if the reconciler declares `bare_status(..)`.

mod added;
mod conditions;

use serde_json::json;

use crate::outcome::Outcome;
use crate::pass::api::identity::Unwritten;
use crate::pass::api::{PassBackend, gone};
use crate::pass::context::PassContext;
use crate::pass::memory::unsent_status::Pending;
use crate::pipeline::bare_store::record;
use crate::pipeline::object::Object;

/// Stores the status. The memory comes last: if a write fails, the next pass finds the status not stored.
pub(in crate::pass) async fn store(
    context: &PassContext,
    object: &Object,
    backend: &PassBackend,
    pending: &Pending,
) -> Result<(), Unwritten> {
    let store = context.env.primary.bare_store();
    if let Some(domain) = store.domain {
        conditions::write(object, backend, &pending.intent.conditions, domain).await?;
    }
    // Only after a success: a restart repeats everything else, and a failure that comes and goes writes nothing.
    if let (Some(annotation), Outcome::Done) = (&store.annotation, &pending.outcome) {
        annotate(backend, annotation, pending).await?;
    }
    if pending.intent.observed_inputs.as_ref().is_some_and(|inputs| inputs.added) {
        added::mark(context, object, backend).await?;
    }
    backend.store_in_memory(&pending.intent)
}

/// Stores the status in the annotation. The uid prevents a write to a recreated object.
async fn annotate(backend: &PassBackend, annotation: &str, pending: &Pending) -> Result<(), Unwritten> {
    let PassBackend { calls, identity, .. } = backend;
    let value = record(&identity.uid, pending.intent.to_value());
    let patch = json!({ "metadata": { "uid": identity.uid, "annotations": { annotation: value } } });
    match calls.merge(&identity.target, &patch).await {
        Ok(written) => {
            backend.note(&written);
            Ok(())
        }
        Err(error) => Err(gone::after(calls, identity, error).await),
    }
}
