//! Conversion of stored objects to the served version of a kind, with its current schema and defaults.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::event;
use crate::registry::{Kind, split};
use crate::schema::{self, Structural};
use crate::strategy::meta;

/// The view of a kind on its stored objects.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    pub(crate) kind: Arc<Kind>,
    /// The schema of a custom kind.
    pub(crate) schema: Option<Arc<Structural>>,
    /// Objects stored after this version match the current schema of the storage version.
    pub(crate) settled: u64,
}

impl Lens {
    /// Returns a stored object in the version of the kind. If a webhook converts the kind, the object is already converted and complete.
    pub(crate) fn shown<'a>(&self, stored: &'a Value) -> Cow<'a, Value> {
        let kind = &self.kind;
        let Some(custom) = kind.custom() else {
            let is_event = kind.storage.plural.as_ref() == "events";
            return if is_event { Cow::Owned(event::shown(&kind.group, stored)) } else { Cow::Borrowed(stored) };
        };
        let api_version = kind.api_version();
        let is_own = stored["apiVersion"] == api_version.as_str();
        if is_own && custom.conversion.is_some() {
            return Cow::Borrowed(stored);
        }
        let mut object = match self.completed(stored) {
            completed if is_own => return completed,
            completed => completed.into_owned(),
        };
        // Only the defaults of the stored version are applied.
        schema::prune(&mut object, &custom.structural);
        object["apiVersion"] = json!(api_version);
        Cow::Owned(object)
    }

    /// Returns a stored object with the current schema of the version in which it is stored.
    pub(crate) fn completed<'a>(&self, stored: &'a Value) -> Cow<'a, Value> {
        let Some(custom) = self.kind.custom() else { return Cow::Borrowed(stored) };
        let (_, version) = split(stored["apiVersion"].as_str().unwrap_or_default());
        let is_settled = || meta(stored, "resourceVersion").parse::<u64>().is_ok_and(|version| version > self.settled);
        if version == custom.storage_version && is_settled() {
            return Cow::Borrowed(stored);
        }
        let schema = custom.schemas.get(version).unwrap_or(&custom.storage_schema);
        let mut object = stored.clone();
        schema::prune(&mut object, schema);
        schema::default(&mut object, schema);
        Cow::Owned(object)
    }
}
