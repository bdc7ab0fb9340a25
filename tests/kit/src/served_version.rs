//! How stored objects look through one of the kinds that share a store: version, shape, defaults of today.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::event;
use crate::registry::Kind;
use crate::schema::{self, Structural};
use crate::strategy::meta;

/// A kind's view of its store.
#[derive(Clone, Debug)]
pub(crate) struct Lens {
    pub(crate) kind: Arc<Kind>,
    /// The schema of a custom kind.
    pub(crate) schema: Option<Arc<Structural>>,
    /// Objects written after this version are as the schema of the storage version wants them.
    pub(crate) settled: u64,
}

impl Lens {
    /// A stored object as the kind shows it.
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
            // Defaults are those of the storage version alone.
            schema::prune(&mut object, &custom.structural);
        }
        object["apiVersion"] = json!(api_version);
        Cow::Owned(object)
    }
}
