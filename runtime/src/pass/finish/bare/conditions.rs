//! Our conditions in `.status.conditions` of a kind without a status of ours.

use kube::api::DynamicObject;
use serde_json::{Value, json};

use crate::api::ApiError;
use crate::condition::Condition;
use crate::pass::api::PassBackend;
use crate::pass::api::gone;
use crate::pass::api::identity::{Identity, Unwritten};
use crate::pass::finish::status_write::{self, RESENDS};
use crate::pipeline::bare_store::merged;
use crate::pipeline::object::Object;

/// Writes the conditions if they differ. The list is replaced as a whole, so the version must match: a condition of another writer must not
/// be lost. Not by server-side apply, which would take over the whole list of a kind without list keys.
pub(super) async fn write(
    object: &Object,
    backend: &PassBackend,
    ours: &[Condition],
    domain: &str,
) -> Result<(), Unwritten> {
    let PassBackend { calls, identity, .. } = backend;
    let known = object.to_value().map_err(|error| failed(format!("the object: {error}")))?;
    let (mut found, mut version) = (listed(&known["status"]), backend.version());
    for _ in 0..=RESENDS {
        let Some(conditions) = merged(&found, ours, domain) else { return Ok(()) };
        let patch = json!({ "metadata": { "resourceVersion": version }, "status": { "conditions": conditions } });
        match calls.merge_status(&identity.target, &patch).await {
            Ok(written) => {
                check_stored(identity, &written, ours, domain)?;
                backend.note(&written);
                return Ok(());
            }
            Err(ApiError::Conflict(_)) => {
                let live = status_write::newer(calls, identity).await?;
                (found, version) =
                    (listed(&live.data["status"]), live.metadata.resource_version.clone().unwrap_or_default());
            }
            // The kind itself is served if the object can be read.
            Err(error) if error.is_404() => return gone::live(calls, identity).await.and(Err(without(identity))),
            Err(error) => return Err(Unwritten::Failed(error)),
        }
    }
    Err(Unwritten::Outdated)
}

fn listed(status: &Value) -> Vec<Value> {
    status["conditions"].as_array().cloned().unwrap_or_default()
}

/// A kind without conditions drops them without an error.
fn check_stored(
    identity: &Identity,
    written: &DynamicObject,
    ours: &[Condition],
    domain: &str,
) -> Result<(), Unwritten> {
    match merged(&listed(&written.data["status"]), ours, domain) {
        None => Ok(()),
        Some(_) => Err(without(identity)),
    }
}

/// The error for a kind that does not have conditions.
fn without(identity: &Identity) -> Unwritten {
    let kind = &identity.target.kind.resource.kind;
    failed(format!("the kind {kind} has no conditions in its status: remove `bare_status(conditions = ..)`"))
}

fn failed(message: String) -> Unwritten {
    Unwritten::Failed(ApiError::Invalid(message.into()))
}
