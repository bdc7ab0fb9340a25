//! The status write: once per pass, all of it together, only where it differs, never on another object of the same name.

use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::calls::Calls;
use super::gone;
use super::takeover::{self, Take};
use crate::backend::{ApiError, Target};
use crate::draft::StatusIntent;
use crate::version::is_older;

/// How often a write that met a newer version is sent again before the pass is discarded.
pub(super) const RESENDS: usize = 3;

/// The object that the pass runs on, as far as a status write depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) target: Target,
    pub(super) uid: String,
    pub(super) generation: Option<i64>,
    pub(super) deleting: bool,
    /// What is written holds for the object, whatever its spec says meanwhile.
    pub(super) urgent: bool,
}

impl Identity {
    /// The same wish: what the pass found out still holds for the object.
    fn holds_for(&self, live: &DynamicObject) -> bool {
        let meta = &live.metadata;
        self.urgent || (meta.generation == self.generation && meta.deletion_timestamp.is_some() == self.deleting)
    }
}

/// Why a status was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unwritten {
    /// The object is shown to be gone: a read of it finds none, or another one under its name.
    Gone,
    /// The object changed under the pass: what it found out no longer holds.
    Outdated,
    /// The write failed; the intent stands.
    Failed(ApiError),
}

/// Applies the intent to the version that the pass knows. A newer version of the same wish gets it without another run of the body.
pub(super) async fn write(
    calls: &Calls,
    identity: &Identity,
    version: &str,
    intent: &StatusIntent,
) -> Result<DynamicObject, Unwritten> {
    let mut version = version.to_owned();
    for _ in 0..=RESENDS {
        let body = body(identity, &version, &intent.to_value());
        match calls.apply_status(&identity.target, &body).await {
            Ok(object) => return of_object(identity, object),
            Err(ApiError::Conflict(_)) => version = newer_version(calls, identity, &version).await?,
            Err(error) => return Err(gone::after_status(calls, identity, error).await),
        }
    }
    Err(Unwritten::Outdated)
}

/// The answer to a write. What a proxy answers may be any JSON: it does not show that the status was written.
pub(super) fn of_object(identity: &Identity, answer: DynamicObject) -> Result<DynamicObject, Unwritten> {
    match answer.metadata.uid.as_deref() == Some(&*identity.uid) {
        true => Ok(answer),
        false => Err(Unwritten::Failed(ApiError::Failed("the answer to the write is not the object".into()))),
    }
}

/// The version of the object after `known`. A store that was set back has an older one: its generation may be the same, of another spec.
async fn newer_version(calls: &Calls, identity: &Identity, known: &str) -> Result<String, Unwritten> {
    let unread = || Unwritten::Failed(ApiError::Failed("the object was read without a resourceVersion".into()));
    let version = newer(calls, identity).await?.metadata.resource_version.ok_or_else(unread)?;
    if is_older(&version, known) { Err(Unwritten::Outdated) } else { Ok(version) }
}

/// The object as it is now, if what the pass found out still holds for it.
pub(super) async fn newer(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let live = gone::live(calls, identity).await?;
    if identity.holds_for(&live) { Ok(live) } else { Err(Unwritten::Outdated) }
}

/// The object as it is now, if it is in the same state of deletion and of no earlier generation, which a store that was set back shows.
pub(super) async fn same(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let live = gone::live(calls, identity).await?;
    let is_same = live.metadata.deletion_timestamp.is_some() == identity.deleting;
    let is_back = live.metadata.generation < identity.generation;
    if identity.urgent || is_same && !is_back { Ok(live) } else { Err(Unwritten::Outdated) }
}

fn body(identity: &Identity, version: &str, status: &Value) -> Value {
    let target = &identity.target;
    // Apply ignores a wrong uid; the version is what keeps us from writing on a recreated object.
    let mut metadata = json!({ "name": target.name, "resourceVersion": version });
    if let Some(namespace) = &target.namespace {
        metadata["namespace"] = json!(namespace);
    }
    json!({
        "apiVersion": target.kind.resource.api_version,
        "kind": target.kind.resource.kind,
        "metadata": metadata,
        "status": status,
    })
}

/// Makes status fields of other managers ours, so that the next write removes what is no longer said. Returns the new version; `None`: no
/// other manager holds any of them.
pub(super) async fn take_over(calls: &Calls, identity: &Identity, take: Take<'_>) -> Result<Option<String>, Unwritten> {
    let calls = &Calls { whole: true, ..calls.clone() };
    let live = gone::live(calls, identity).await?;
    let Some(fields) = takeover::managed_fields(&live, &calls.manager, take) else {
        return Ok(None);
    };
    if !identity.holds_for(&live) {
        return Err(Unwritten::Outdated);
    }
    // Not through the status subresource: that ignores managedFields.
    let patch = json!({ "metadata": { "resourceVersion": live.metadata.resource_version, "managedFields": fields } });
    match calls.merge(&identity.target, &patch).await {
        Ok(object) => Ok(object.metadata.resource_version),
        Err(ApiError::Conflict(_)) => Err(Unwritten::Outdated),
        Err(error) => Err(gone::after(calls, identity, error).await),
    }
}
