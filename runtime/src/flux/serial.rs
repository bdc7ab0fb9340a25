//! The patches of one run, one after the other, each against what was written last.

use kube::Resource;
use serde::Serialize;
use serde_json::{Value, json};

use super::patch::{ConditionList, Focus, focus, merge_patch};
use super::{Object, PatchError, PatchOptions};
use crate::api::ApiError;
use crate::condition::patch::{ConditionPatch, Owned, apply, diff};
use crate::condition::{Condition, Stamp};

/// How often a write of conditions is tried while other writers come between.
const ATTEMPTS: usize = 5;

/// Which resource a write goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The object itself.
    Main,
    /// Its status subresource.
    Status,
}

/// The way to the object on the API server.
pub trait Port: Sync {
    /// Reads the object as it is on the server now.
    fn read(&self) -> impl Future<Output = Result<Value, ApiError>> + Send;
    /// Sends a JSON merge patch.
    fn write(
        &self,
        part: Part,
        patch: Value,
        field_owner: Option<&str>,
    ) -> impl Future<Output = Result<Value, ApiError>> + Send;
    /// Lets some time pass before a write is tried again.
    fn pause(&self) -> impl Future<Output = ()> + Send;
}

/// Writes what a run changed, in at most two requests: the status, conditions included, then metadata and spec.
///
/// Flux sends up to three, conditions before the rest of the status, and goes on when one fails; so readers see Ready before the
/// artifact that it speaks of, and a status can be lost for good. Here a status is written whole or not at all, and nothing after it if
/// it fails. Conditions are merged by type with those of other writers; those of this controller are stamped with the generation that
/// was worked on, not with the server's latest.
#[derive(Clone, Debug)]
pub struct SerialPatcher<P> {
    port: P,
    base: Value,
    conditions: ConditionList,
}

impl<P: Port> SerialPatcher<P> {
    /// From the object as it was read.
    ///
    /// # Errors
    /// [`PatchError::Json`].
    pub fn new<K: Object + Serialize>(object: &K, port: P) -> Result<Self, PatchError> {
        Ok(Self::of_document(document(object)?, ConditionList::Merged, port))
    }

    /// From a document as it was read; for kinds whose status is not the [`FluxStatus`](super::FluxStatus) one.
    pub fn of_document(base: Value, conditions: ConditionList, port: P) -> Self {
        Self { port, base: with_status(base), conditions }
    }

    /// Writes what changed since the last patch, or since the object was read.
    ///
    /// # Errors
    /// What follows in the order was not written then; the next patch carries all of it again.
    pub async fn patch<K: Object + Serialize>(
        &mut self,
        object: &mut K,
        options: &PatchOptions,
    ) -> Result<(), PatchError> {
        if options.observed_generation {
            object.kept_mut().observed_generation = Some(object.generation());
        }
        let stamp = object.stamp();
        self.patch_document(document(object)?, &stamp, options).await
    }

    /// The same for a document; `options.observed_generation` is the caller's affair.
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

    /// The whole status in one request, which the server refuses if somebody wrote after the read.
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

/// The object as JSON, named.
fn document<K: Resource<DynamicType = ()> + Serialize>(object: &K) -> Result<Value, PatchError> {
    let mut document = serde_json::to_value(object)?;
    document["apiVersion"] = K::api_version(&()).into();
    document["kind"] = K::kind(&()).into();
    Ok(document)
}

/// A status without content and no status at all are the same.
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
