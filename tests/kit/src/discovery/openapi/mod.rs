//! OpenAPI v3, which kubectl reads for validation and for `kubectl explain`.

mod builtin;
mod names;
mod operation;
mod schema;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Release;
use super::answer::etag;
use crate::registry::{Kind, Registry};
use names::place;

/// `/openapi/v3`: the URL of the document of each group version.
pub(super) fn index(registry: &Registry, release: Release) -> Value {
    let mut paths = Map::new();
    for kind in registry.iter() {
        let place = place(kind);
        if paths.contains_key(&place) {
            continue;
        }
        let hash = hash(release, &registry.kinds_of(&kind.group, &kind.version));
        let url = format!("/openapi/v3/{place}?hash={hash}");
        paths.insert(place, json!({"serverRelativeURL": url}));
    }
    json!({"paths": paths})
}

/// `/openapi/v3/apis/{group}/{version}`; `None` if it has no kinds.
pub(super) fn document(registry: &Registry, release: Release, group: &str, version: &str) -> Option<Value> {
    let kinds = registry.kinds_of(group, version);
    if kinds.is_empty() {
        return None;
    }
    let paths: Map<String, Value> = kinds.iter().flat_map(|kind| operation::paths(kind)).collect();
    let own = kinds.iter().map(|kind| (schema::name(kind), schema::of(kind)));
    let mut schemas: Map<String, Value> = builtin::needed(&kinds).chain(own).collect();
    schemas.insert(schema::PATCH.to_owned(), json!({"type": "object"}));
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": format!("1.{}", release.minor)},
        "paths": paths,
        "components": {"schemas": schemas},
    }))
}

/// A hash that changes with the document; built-in kinds are the same in every cluster of a release.
fn hash(release: Release, kinds: &[Arc<Kind>]) -> String {
    let made_of = |kind: &Arc<Kind>| match kind.custom() {
        None => json!(kind.kind),
        Some(_) => json!([operation::paths(kind), schema::of(kind)]),
    };
    let made_of: Vec<Value> = kinds.iter().map(made_of).collect();
    etag(&json!([release.minor, made_of]).to_string()).replace('"', "")
}
