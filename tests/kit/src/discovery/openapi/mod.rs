//! OpenAPI v3: what kubectl asks before it writes, and what it explains kinds from.

mod operation;
mod schema;

use serde_json::{Map, Value, json};

use super::{Release, etag};
use crate::registry::{Kind, Registry};

/// `/openapi/v3`: where the document of each group version is.
pub(super) fn index(registry: &Registry, release: Release) -> Value {
    let mut paths = Map::new();
    for kind in registry.iter() {
        let place = place(kind);
        if paths.contains_key(&place) {
            continue;
        }
        if let Some(document) = document(registry, release, &kind.group, &kind.version) {
            let hash = etag(&document.to_string()).replace('"', "");
            let url = format!("/openapi/v3/{place}?hash={hash}");
            paths.insert(place, json!({"serverRelativeURL": url}));
        }
    }
    json!({"paths": paths})
}

/// `/openapi/v3/apis/{group}/{version}`; `None` when it has no kinds.
pub(super) fn document(registry: &Registry, release: Release, group: &str, version: &str) -> Option<Value> {
    let kinds = registry.kinds_of(group, version);
    if kinds.is_empty() {
        return None;
    }
    let paths: Map<String, Value> = kinds.iter().flat_map(|kind| operation::paths(kind)).collect();
    let mut schemas: Map<String, Value> = kinds.iter().map(|kind| (schema::name(kind), schema::of(kind))).collect();
    schemas.insert(schema::METADATA.to_owned(), schema::metadata());
    schemas.insert(schema::PATCH.to_owned(), json!({"type": "object"}));
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": format!("1.{}", release.minor)},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

/// "api/v1" or "apis/{group}/{version}".
fn place(kind: &Kind) -> String {
    let root = if kind.group.is_empty() { "api" } else { "apis" };
    format!("{root}/{}", kind.api_version())
}

/// Group, version and kind as extensions write them.
fn gvk(kind: &Kind) -> Value {
    json!({"group": kind.group, "version": kind.version, "kind": kind.kind})
}
