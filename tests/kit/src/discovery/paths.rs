//! The list of paths at `/`, which is also the body of most 404 responses.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::registry::Registry;

const FIXED: [&str; 11] = [
    "/api",
    "/apis",
    "/apis/",
    "/healthz",
    "/healthz/ping",
    "/livez",
    "/livez/ping",
    "/openapi/v3",
    "/readyz",
    "/readyz/ping",
    "/version",
];

/// All paths that return a document, sorted; those of custom groups are not listed.
pub(super) fn document(registry: &Registry) -> Value {
    let mut paths: BTreeSet<String> = FIXED.into_iter().map(str::to_owned).collect();
    for kind in registry.iter().filter(|kind| kind.is_builtin()) {
        if kind.group.is_empty() {
            paths.insert(format!("/api/{}", kind.version));
        } else {
            paths.insert(format!("/apis/{}", kind.group));
            paths.insert(format!("/apis/{}", kind.api_version()));
        }
    }
    json!({"paths": paths})
}
