//! What is served at one moment: the kinds, and the compiled schemas of the custom ones.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::lens::Lens;
use crate::registry::{Kind, Registry};
use crate::schema::Structural;

/// The kinds and the schemas. Replaced as a whole when a definition changes.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    pub(crate) registry: Registry,
    schemas: HashMap<String, Schema>,
}

#[derive(Clone, Debug)]
struct Schema {
    written: Arc<Value>,
    compiled: Arc<Structural>,
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
        let schemas = kinds.iter().filter_map(|kind| Some((key(kind), self.schema(kind, now)?))).collect();
        Catalog { registry: self.registry.with_custom(kinds), schemas }
    }

    /// How a kind shows its store.
    pub(crate) fn lens(&self, kind: &Arc<Kind>) -> Lens {
        let schema = self.schemas.get(&key(kind));
        // Objects may have been written by another version, under its own schema.
        let shared = || self.registry.iter().filter(|other| other.storage == kind.storage).count() > 1;
        let settled = schema.map(|schema| if shared() { u64::MAX } else { schema.since });
        Lens {
            kind: Arc::clone(kind),
            schema: schema.map(|schema| Arc::clone(&schema.compiled)),
            settled: settled.unwrap_or_default(),
        }
    }

    /// The schema known before when it is still the same.
    fn schema(&self, kind: &Kind, now: u64) -> Option<Schema> {
        let custom = kind.custom()?;
        let (written, compiled) = (Arc::clone(&custom.schema), Arc::clone(&custom.structural));
        let known = self.schemas.get(&key(kind)).filter(|known| known.written == written);
        let since = known.map_or(now, |known| known.since);
        Some(Schema { written, compiled, since })
    }
}

fn key(kind: &Kind) -> String {
    format!("{}/{}/{}", kind.group, kind.version, kind.plural)
}
