//! The currently served kinds, and the versions since which custom kinds have their schemas.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::registry::{Kind, Registry};
use crate::served_version::Lens;

/// The kinds and their schemas. A change of a CRD replaces the whole catalog.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    pub(crate) registry: Registry,
    schemas: HashMap<String, Schema>,
}

#[derive(Clone, Debug)]
struct Schema {
    written: Arc<Value>,
    /// The version of the store since which this schema is served.
    since: u64,
}

impl Catalog {
    /// Returns a catalog with the built-in kinds only.
    pub(crate) fn builtin() -> Self {
        Catalog { registry: Registry::builtin(), schemas: HashMap::new() }
    }

    /// Returns a catalog with the built-in kinds and these custom kinds, as of a version of the store.
    pub(crate) fn with_custom(&self, kinds: Vec<Kind>, now: u64) -> Self {
        let schemas =
            kinds.iter().filter_map(|kind| Some((key(kind, &kind.version), self.schema(kind, now)?))).collect();
        Catalog { registry: self.registry.with_custom(kinds), schemas }
    }

    /// Returns the view of a kind on its stored objects.
    pub(crate) fn lens(&self, kind: &Arc<Kind>) -> Lens {
        // If the storage version is not served, the time of its last schema change is unknown.
        let storage = kind.custom().and_then(|custom| self.schemas.get(&key(kind, &custom.storage_version)));
        Lens {
            kind: Arc::clone(kind),
            schema: kind.custom().map(|custom| Arc::clone(&custom.structural)),
            settled: storage.map_or(u64::MAX, |schema| schema.since),
        }
    }

    /// Returns the schema of a kind, with the previous `since` if it is unchanged.
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
