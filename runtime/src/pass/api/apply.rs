//! Writes and deletes the objects that a step owns, and never those of another owner.
//!
//! No write relies on an earlier state of the cache. A create fails if the name is taken, an update carries the uid of its object, a
//! take-over and a deletion carry the version, too. The server refuses the write if the object appeared or changed meanwhile; it is then
//! read again.

use kube::api::{DynamicObject, ObjectMeta};
use serde_json::{Map, Value, json};

use super::calls::Calls;
use crate::api::adoption::{Claimant, OwnerUids, Ownership, RefusedCall};
use crate::api::{ApiError, Target};
use crate::queue::Key;
use crate::watch::RelatedCaches;
use crate::wiring::relation::Adopt;

/// Maximum number of attempts of a write that finds another object each time.
const TRIES: usize = 4;

/// One object that a step writes or deletes.
pub(crate) struct Owned<'a> {
    pub(crate) calls: &'a Calls,
    pub(crate) claimant: Claimant<'a>,
    pub(crate) target: &'a Target,
    /// The reconciled object, which is enqueued when an object of another owner changes its owner or is deleted.
    pub(crate) subscriber: Option<(&'a RelatedCaches, &'a Key)>,
}

/// A version of an object.
#[derive(Clone, Debug)]
pub(crate) struct KnownVersion {
    pub(crate) uid: String,
    pub(crate) resource_version: String,
}

/// An applied object.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) object: DynamicObject,
    /// The version that was known of it; `None`: it was created.
    #[cfg_attr(not(feature = "dependents"), allow(dead_code, reason = "only sets of dependents record events"))]
    pub(crate) before: Option<String>,
}

/// The next write.
enum Write {
    /// Server-side apply with version 1, which no object has: it creates the object or ends with a conflict.
    Create,
    /// A POST, for servers that reject a version on create.
    Post,
    /// Server-side apply to the object with this uid.
    Update(KnownVersion),
    /// A take-over of this version, which is not ours.
    Adopt(Box<ObjectMeta>),
}

impl Write {
    /// The version that is known of the object; `None`: it is created.
    fn before(self) -> Option<String> {
        match self {
            Self::Create | Self::Post => None,
            Self::Update(known) => Some(known.resource_version),
            Self::Adopt(meta) => meta.resource_version,
        }
    }
}

/// The mismatch that an error indicates.
enum Mismatch {
    /// The object is not the one that the write was meant for.
    Another,
    /// The server rejects a version on create, as servers before 1.23 do for a Service.
    VersionOfNothing,
}

impl Owned<'_> {
    /// Applies the object. `known`: the version that is known to be ours. Only the uid has to be that of the object.
    pub(crate) async fn apply(
        &self,
        adopt: Adopt,
        object: Value,
        known: Option<KnownVersion>,
    ) -> Result<Written, ApiError> {
        let mut write = known.map_or(Write::Create, Write::Update);
        let (mut tries, mut intent) = (1, Intent::new(object));
        loop {
            let error = match self.send(&write, &mut intent).await {
                Ok(object) => return Ok(Written { object, before: write.before() }),
                Err(error) => error,
            };
            let is_invalid = matches!(error, ApiError::Invalid(_));
            write = match mismatch(&write, &error) {
                None => return Err(error),
                Some(_) if tries == TRIES => return Err(error),
                Some(Mismatch::VersionOfNothing) => Write::Post,
                Some(Mismatch::Another) => match self.recheck(adopt).await? {
                    // No object has the name, so the object that was sent is invalid.
                    Write::Create if is_invalid => return Err(error),
                    write => write,
                },
            };
            tries += 1;
        }
    }

    async fn send(&self, write: &Write, intent: &mut Intent) -> Result<DynamicObject, ApiError> {
        match write {
            Write::Create => self.calls.apply(self.target, intent.of_version(None, Some("1"))).await,
            Write::Post => self.post(intent.of_version(None, None)).await,
            Write::Update(known) => self.calls.apply(self.target, intent.of_version(Some(&known.uid), None)).await,
            Write::Adopt(meta) => self.take(meta, intent).await,
        }
    }

    /// Creates the object, then converts its field ownership to `Apply`, so that a later apply removes the fields that it leaves out.
    async fn post(&self, object: &Value) -> Result<DynamicObject, ApiError> {
        let posted = self.calls.whole().create(self.target, object).await?;
        let mut managers = json!(posted.metadata.managed_fields);
        let entries = managers.as_array_mut().into_iter().flatten();
        entries.filter(|entry| entry["manager"] == *self.calls.field_manager).for_each(|entry| {
            entry["operation"] = json!("Apply");
        });
        let version = &posted.metadata.resource_version;
        let patch = json!({ "metadata": { "resourceVersion": version, "managedFields": managers } });
        self.calls.merge(self.target, &patch).await
    }

    /// Takes the object over in the version that was read. Another controller's reference is removed first, as the server allows one only; so
    /// are the field managers of an earlier tool, as the fields that it set and the object does not have any more would stay otherwise.
    async fn take(&self, meta: &ObjectMeta, intent: &mut Intent) -> Result<DynamicObject, ApiError> {
        let mut version = meta.resource_version.clone();
        let owners = meta.owner_references.as_deref().unwrap_or_default();
        let others: Vec<_> = owners.iter().filter(|owner| owner.controller != Some(true)).collect();
        let mut changes = Map::new();
        if others.len() < owners.len() {
            changes.insert("ownerReferences".into(), json!(others));
        }
        changes.extend(self.claimant.taken_over(meta).map(|entries| ("managedFields".into(), entries)));
        if !changes.is_empty() {
            changes.insert("resourceVersion".into(), json!(version));
            version = self.calls.merge(self.target, &json!({ "metadata": changes })).await?.metadata.resource_version;
        }
        let object = intent.of_version(meta.uid.as_deref(), version.as_deref());
        let taken = self.calls.apply(self.target, object).await?;
        tracing::info!(object = %self.target, "adopted the object, as `adopt` permits");
        Ok(taken)
    }

    /// Chooses the next write from the live object.
    async fn recheck(&self, adopt: Adopt) -> Result<Write, ApiError> {
        let Some(meta) = self.live().await? else { return Ok(Write::Create) };
        let ownership = self.claimant.ownership(&self.target.kind, &meta);
        match &ownership {
            Ownership::Ours => {}
            ownership if !ownership.may_adopt(adopt) => {
                let is_set = self.claimant.owner.set.is_some();
                let call = if is_set { RefusedCall::ApplyDependent } else { RefusedCall::Apply };
                return Err(self.refuse(ownership, &meta, call));
            }
            _ => {
                self.free();
                return Ok(Write::Adopt(Box::new(meta)));
            }
        }
        self.free();
        let (uid, resource_version) = (meta.uid.unwrap_or_default(), meta.resource_version.unwrap_or_default());
        Ok(Write::Update(KnownVersion { uid, resource_version }))
    }

    /// Deletes the object if it is ours; an absent object is no error. `known`: the version that is known to be ours.
    pub(crate) async fn delete(&self, mut known: Option<KnownVersion>) -> Result<(), ApiError> {
        for _ in 1..TRIES {
            let Some(version) = self.ours(known.take()).await? else { return Ok(()) };
            match self.calls.delete(self.target, &version.uid, &version.resource_version).await {
                Err(ApiError::Conflict(_)) => {}
                answer => return answer,
            }
        }
        Err(ApiError::Conflict(format!("{} changed before each attempt to delete it", self.target).into()))
    }

    /// The version to delete; `None`: the object does not exist.
    async fn ours(&self, known: Option<KnownVersion>) -> Result<Option<KnownVersion>, ApiError> {
        if known.is_some() {
            return Ok(known);
        }
        let Some(meta) = self.live().await? else { return Ok(None) };
        match self.claimant.ownership(&self.target.kind, &meta) {
            Ownership::Ours => {
                self.free();
                let (uid, version) = (meta.uid.unwrap_or_default(), meta.resource_version.unwrap_or_default());
                Ok(Some(KnownVersion { uid, resource_version: version }))
            }
            ownership => Err(self.refuse(&ownership, &meta, RefusedCall::Delete)),
        }
    }

    /// The metadata of the live object, including `managedFields`.
    async fn live(&self) -> Result<Option<ObjectMeta>, ApiError> {
        if let Some((relations, key)) = self.subscriber {
            // Subscribe before the read, so that any later change triggers a reconcile.
            relations.foreign().expect(key, self.target);
        }
        Ok(self.calls.whole().get(self.target).await?.map(|object| object.metadata))
    }

    fn refuse(&self, ownership: &Ownership, meta: &ObjectMeta, call: RefusedCall) -> ApiError {
        if let Some((relations, key)) = self.subscriber {
            relations.foreign().block(key, self.target, ownership.is_shown_by_uids().then(|| OwnerUids::of(meta)));
        }
        ApiError::Foreign(ownership.refusal(self.target, call).into())
    }

    /// Ends the subscription to the object, as no other owner blocks the write.
    fn free(&self) {
        if let Some((relations, key)) = self.subscriber {
            relations.foreign().free(key, self.target);
        }
    }
}

/// The fields of the metadata that name a version of an object.
const VERSION: [&str; 2] = ["uid", "resourceVersion"];

/// The object to be applied.
struct Intent {
    object: Value,
    /// The values of the fields that name a version, as the author gave them.
    given: [Option<Value>; 2],
}

impl Intent {
    fn new(object: Value) -> Self {
        let given = VERSION.map(|field| object["metadata"].get(field).cloned());
        Self { object, given }
    }

    /// The object with these values; `None`: that of the author.
    fn of_version(&mut self, uid: Option<&str>, version: Option<&str>) -> &Value {
        for ((field, given), wanted) in VERSION.into_iter().zip(&self.given).zip([uid, version]) {
            match wanted.map(Value::from).or_else(|| given.clone()) {
                Some(value) => self.object["metadata"][field] = value,
                None => drop(self.object["metadata"].as_object_mut().and_then(|meta| meta.remove(field))),
            }
        }
        &self.object
    }
}

/// The mismatch that may have caused the error; `None`: it has another cause.
fn mismatch(write: &Write, error: &ApiError) -> Option<Mismatch> {
    match (write, error) {
        (_, ApiError::Conflict(_)) | (Write::Adopt(_), ApiError::NotFound(_)) => Some(Mismatch::Another),
        (Write::Create, ApiError::Failed(text)) if text.contains("resourceVersion should not be set") => {
            Some(Mismatch::VersionOfNothing)
        }
        // Kubernetes 1.20 merges a Service with the existing one and validates the result before it checks the version.
        (Write::Create, ApiError::Invalid(_)) => Some(Mismatch::Another),
        // Another uid, or a second controller.
        (Write::Update(_) | Write::Adopt(_), ApiError::Invalid(text)) => {
            let is_another = text.contains("metadata.uid") || text.contains("Only one reference can have Controller");
            is_another.then_some(Mismatch::Another)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
