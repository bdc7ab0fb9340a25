//! The consecutive patches of one run, each relative to the last write.

use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use super::patch::{ConditionList, Focus, focus, merge_patch};
use super::{Object, PatchError, PatchOptions};
use crate::api::ApiError;
use crate::condition::patch::{ConditionPatch, Owned, apply, diff};
use crate::condition::{Condition, Stamp};

/// How many times a write of conditions is tried if other writers cause conflicts.
const ATTEMPTS: usize = 5;

/// The resource that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The object itself.
    Main,
    /// Its status subresource.
    Status,
}

/// Access to the object on the API server.
pub trait Port: Sync {
    /// Reads the current object from the server.
    fn read(&self) -> impl Future<Output = Result<Value, ApiError>> + Send;
    /// Sends a JSON merge patch.
    fn write(
        &self,
        part: Part,
        patch: Value,
        field_owner: Option<&str>,
    ) -> impl Future<Output = Result<Value, ApiError>> + Send;
    /// Waits before a write is retried.
    fn pause(&self) -> impl Future<Output = ()> + Send;
}

/// Writes the changes of a run in at most two requests: the status with its conditions, then metadata and spec.
///
/// Flux sends up to three requests, conditions before the rest of the status, and continues if one fails. Readers can then see Ready before
/// the artifact that it refers to, and a status can be lost. Here the status is written in one request, and nothing is written after a
/// failure. Conditions are merged by type with those of other writers. Conditions of this controller get the generation that was
/// reconciled, not the latest.
#[derive(Clone, Debug)]
pub struct SerialPatcher<P> {
    port: P,
    base: Value,
    conditions: ConditionList,
}

impl<P: Port> SerialPatcher<P> {
    /// Creates a patcher from the object that was read.
    ///
    /// # Errors
    /// [`PatchError::Json`].
    pub fn new<K: Object + Serialize>(object: &K, port: P) -> Result<Self, PatchError> {
        Ok(Self::of_document(document(object)?, ConditionList::Merged, port))
    }

    /// Creates a patcher from a document that was read, for kinds whose status is not a [`FluxStatus`](super::FluxStatus).
    pub fn of_document(base: Value, conditions: ConditionList, port: P) -> Self {
        Self { port, base: with_status(base), conditions }
    }

    /// Writes the changes since the last patch, or since the object was read.
    ///
    /// # Errors
    /// After a failed request the remaining ones are not sent; the next patch contains all changes again.
    pub async fn patch<K: Object + Serialize>(
        &mut self,
        object: &mut K,
        options: &PatchOptions,
    ) -> Result<(), PatchError> {
        if options.observed_generation {
            object.flux_status_mut().observed_generation = Some(object.generation());
        }
        let stamp = object.stamp();
        self.patch_document(document(object)?, &stamp, options).await
    }

    /// The same for a document; the caller has to set its observed generation.
    ///
    /// # Errors
    /// As [`patch`](Self::patch).
    pub async fn patch_document(
        &mut self,
        after: Value,
        stamp: &Stamp,
        options: &PatchOptions,
    ) -> Result<(), PatchError> {
        check_kind(&self.base, &after)?;
        let after = with_status(after);
        self.patch_status(&after, stamp, options).await?;
        let [old, new] = [&self.base, &after].map(|document| focus(document, Focus::Spec, self.conditions));
        if let Some(patch) = merge_patch(&old, &new) {
            self.port.write(Part::Main, patch, options.field_owner.as_deref()).await?;
        }
        self.base = after;
        Ok(())
    }

    async fn patch_status(&mut self, after: &Value, stamp: &Stamp, options: &PatchOptions) -> Result<(), PatchError> {
        let [old, new] = [&self.base, after].map(|document| focus(document, Focus::Status, self.conditions));
        let rest = merge_patch(&old, &new).filter(|patch| patch.get("status").is_some());
        let operations = match self.conditions {
            ConditionList::Merged => diff(&conditions(&self.base)?, &conditions(after)?),
            ConditionList::Plain => Vec::new(),
        };
        if operations.is_empty() {
            if let Some(patch) = rest {
                self.port.write(Part::Status, patch, options.field_owner.as_deref()).await?;
            }
            return Ok(());
        }
        let rest = rest.unwrap_or_else(|| json!({}));
        for _ in 1..ATTEMPTS {
            match self.write_conditions(&operations, &rest, stamp, options).await {
                Err(PatchError::Api(ApiError::Conflict(_))) => self.port.pause().await,
                done => return done,
            }
        }
        self.write_conditions(&operations, &rest, stamp, options).await
    }

    /// Writes the whole status in one request. The server rejects it if another client has written since the read.
    async fn write_conditions(
        &self,
        operations: &[ConditionPatch],
        rest: &Value,
        stamp: &Stamp,
        options: &PatchOptions,
    ) -> Result<(), PatchError> {
        let latest = self.port.read().await?;
        let owned: Vec<&str> = options.owned.iter().map(String::as_str).collect();
        let owned = if options.force { Owned::All } else { Owned::Types(&owned) };
        let merged = apply(operations, &conditions(&latest)?, owned, stamp).map_err(PatchError::Conditions)?;
        let mut patch = rest.clone();
        patch["metadata"]["resourceVersion"] = latest["metadata"]["resourceVersion"].clone();
        patch["status"]["conditions"] = serde_json::to_value(merged)?;
        self.port.write(Part::Status, patch, options.field_owner.as_deref()).await?;
        Ok(())
    }
}

/// The object as JSON, with `apiVersion` and `kind`.
fn document<K: Resource<DynamicType = ()> + Serialize>(object: &K) -> Result<Value, PatchError> {
    let mut document = serde_json::to_value(object)?;
    document["apiVersion"] = K::api_version(&()).into();
    document["kind"] = K::kind(&()).into();
    Ok(document)
}

/// Adds an empty status if there is none: the two are equivalent.
fn with_status(mut document: Value) -> Value {
    if document["status"].is_null() {
        document["status"] = json!({});
    }
    document
}

fn conditions(document: &Value) -> Result<Vec<Condition>, PatchError> {
    match document.pointer("/status/conditions") {
        Some(list) if !list.is_null() => Ok(serde_json::from_value(list.clone())?),
        _ => Ok(Vec::new()),
    }
}

fn check_kind(read: &Value, written: &Value) -> Result<(), PatchError> {
    let kind = |document: &Value| document["kind"].as_str().unwrap_or_default().to_owned();
    if read["kind"] == written["kind"] && read["apiVersion"] == written["apiVersion"] {
        return Ok(());
    }
    Err(PatchError::OtherKind { read: kind(read), written: kind(written) })
}
