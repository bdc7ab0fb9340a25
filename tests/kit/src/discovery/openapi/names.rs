//! The names of kinds and schemas in documents.

use serde_json::{Value, json};

use crate::registry::Kind;

pub(super) const METADATA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

pub(super) fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// "api/v1" or "apis/{group}/{version}".
pub(super) fn place(kind: &Kind) -> String {
    let root = if kind.group.is_empty() { "api" } else { "apis" };
    format!("{root}/{}", kind.api_version())
}

/// Group, version and kind as in OpenAPI extensions.
pub(super) fn gvk(kind: &Kind) -> Value {
    json!({"group": kind.group, "version": kind.version, "kind": kind.kind})
}
