//! Conversion of stored objects to the served version of a kind, with its current schema and defaults.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::event;
use crate::registry::Kind;
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
    /// Returns a stored object in the version of the kind.
    pub(crate) fn shown<'a>(&self, stored: &'a Value) -> Cow<'a, Value> {
        let kind = &self.kind;
        let Some(custom) = kind.custom() else {
            let is_event = kind.storage.plural.as_ref() == "events";
            return if is_event { Cow::Owned(event::shown(&kind.group, stored)) } else { Cow::Borrowed(stored) };
        };
        let api_version = kind.api_version();
        let settled = meta(stored, "resourceVersion").parse::<u64>().is_ok_and(|version| version > self.settled);
        if settled && stored["apiVersion"] == api_version.as_str() {
            return Cow::Borrowed(stored);
        }
        let mut object = stored.clone();
        if !settled {
            schema::prune(&mut object, &custom.storage_schema);
            schema::default(&mut object, &custom.storage_schema);
        }
        if custom.storage_version != kind.version {
            // Only the defaults of the storage version are applied.
            schema::prune(&mut object, &custom.structural);
        }
        object["apiVersion"] = json!(api_version);
        Cow::Owned(object)
    }
}
