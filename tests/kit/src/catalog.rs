//! What is served at one moment: the kinds, and the compiled schemas of the custom ones.

use std::collections::HashMap;
use std::sync::Arc;

use crate::registry::{Kind, Registry};
use crate::schema::Structural;

/// The kinds and the schemas. Replaced as a whole when a definition changes.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    pub(crate) registry: Registry,
    schemas: HashMap<String, Arc<Structural>>,
}

impl Catalog {
    /// The built-in kinds alone.
    pub(crate) fn builtin() -> Self {
        Catalog { registry: Registry::builtin(), schemas: HashMap::new() }
    }

    /// The built-in kinds with these custom ones.
    pub(crate) fn with_custom(&self, kinds: Vec<Kind>) -> Self {
        let schemas = kinds.iter().filter_map(|kind| Some((key(kind), Arc::new(compiled(kind)?)))).collect();
        Catalog { registry: self.registry.with_custom(kinds), schemas }
    }

    /// The schema of a custom kind.
    pub(crate) fn schema(&self, kind: &Kind) -> Option<Arc<Structural>> {
        if kind.is_builtin() { None } else { self.schemas.get(&key(kind)).cloned() }
    }
}

fn key(kind: &Kind) -> String {
    format!("{}/{}/{}", kind.group, kind.version, kind.plural)
}

/// A schema that does not parse was refused when the definition was written, so none is lost here.
fn compiled(kind: &Kind) -> Option<Structural> {
    Structural::parse(&kind.custom()?.schema).ok()
}
