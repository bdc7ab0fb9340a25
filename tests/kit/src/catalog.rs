//! What is served at one moment: the kinds, and since when the custom ones have their schema.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::registry::{Kind, Registry};
use crate::served_version::Lens;

/// The kinds and their schemas. Replaced as a whole when a definition changes.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    pub(crate) registry: Registry,
    schemas: HashMap<String, Schema>,
}

#[derive(Clone, Debug)]
struct Schema {
    written: Arc<Value>,
    /// The version of the store when this schema came into force.
    since: u64,
}

impl Catalog {
    /// The built-in kinds alone.
    pub(crate) fn builtin() -> Self {
        Catalog { registry: Registry::builtin(), schemas: HashMap::new() }
    }

    /// The built-in kinds with these custom ones, as of a version of the store.
    pub(crate) fn with_custom(&self, kinds: Vec<Kind>, now: u64) -> Self {
        let schemas =
            kinds.iter().filter_map(|kind| Some((key(kind, &kind.version), self.schema(kind, now)?))).collect();
        Catalog { registry: self.registry.with_custom(kinds), schemas }
    }

    /// How a kind shows its store.
    pub(crate) fn lens(&self, kind: &Arc<Kind>) -> Lens {
        // Without a served storage version nobody knows when its schema last changed.
        let storage = kind.custom().and_then(|custom| self.schemas.get(&key(kind, &custom.storage_version)));
        Lens {
            kind: Arc::clone(kind),
            schema: kind.custom().map(|custom| Arc::clone(&custom.structural)),
            settled: storage.map_or(u64::MAX, |schema| schema.since),
        }
    }

    /// The schema known before when it is still the same.
    fn schema(&self, kind: &Kind, now: u64) -> Option<Schema> {
        let custom = kind.custom()?;
        let written = Arc::clone(&custom.schema);
        let known = self.schemas.get(&key(kind, &kind.version)).filter(|known| known.written == written);
        let since = known.map_or(now, |known| known.since);
        Some(Schema { written, since })
    }
}

fn key(kind: &Kind, version: &str) -> String {
    format!("{}/{version}/{}", kind.group, kind.plural)
}
