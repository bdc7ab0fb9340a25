//! The schemas of kinds: those of custom kinds from their CRD, those of built-in kinds as API servers publish them.

use serde_json::{Map, Value, json};

use super::builtin;
use super::names::{METADATA, gvk, reference};
use crate::apply::root_name;
use crate::registry::Kind;

pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

/// The name of a kind's schema: `dev.ex.v1.Widget`, `io.k8s.api.apps.v1.Deployment`.
pub(super) fn name(kind: &Kind) -> String {
    if let Some(name) = root_name(&kind.api_version(), &kind.kind).filter(|_| kind.is_builtin()) {
        return name.to_owned();
    }
    let place = match kind.group.as_str() {
        _ if !kind.is_builtin() => kind.group.rsplit('.').collect::<Vec<_>>().join("."),
        "" => "io.k8s.api.core".to_owned(),
        "apiextensions.k8s.io" => "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned(),
        group => format!("io.k8s.api.{}", group.split('.').next().unwrap_or_default()),
    };
    format!("{place}.{}.{}", kind.version, kind.kind)
}

/// The schema of a kind.
pub(super) fn of(kind: &Kind) -> Value {
    let Some(custom) = kind.custom() else {
        let mut schema = builtin::schema(&name(kind)).unwrap_or_else(frame);
        schema["x-kubernetes-group-version-kind"] = json!([gvk(kind)]);
        return schema;
    };
    let mut schema = custom.schema.as_ref().clone();
    printed(&mut schema);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).map(std::mem::take);
    let mut properties = properties.unwrap_or_default();
    properties.extend(meta());
    schema["properties"] = Value::Object(properties);
    schema["x-kubernetes-group-version-kind"] = json!([gvk(kind)]);
    if !kind.fields.is_empty() {
        let fields = kind.fields.iter().map(|field| json!({"fieldPath": field.label}));
        schema["x-kubernetes-selectable-fields"] = fields.collect();
    }
    schema
}

/// The schema of reviews, which are not stored.
fn frame() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "description": "This server does not describe the fields of reviews."})
}

/// The three fields that every object has.
fn meta() -> Map<String, Value> {
    Map::from_iter([
        ("apiVersion".to_owned(), json!({"type": "string", "description": "Group and version of the schema."})),
        ("kind".to_owned(), json!({"type": "string", "description": "Kind of the object."})),
        ("metadata".to_owned(), json!({"description": "Standard metadata.", "allOf": [{"$ref": reference(METADATA)}]})),
    ])
}

/// Replaces an int-or-string by a choice of its two types.
fn printed(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else { return };
    if node.get("x-kubernetes-int-or-string") == Some(&json!(true)) && !node.contains_key("anyOf") {
        node.insert("anyOf".to_owned(), json!([{"type": "integer"}, {"type": "string"}]));
    }
    for child in ["items", "additionalProperties"] {
        if let Some(child) = node.get_mut(child) {
            printed(child);
        }
    }
    for child in node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(|all| all.values_mut())
    {
        printed(child);
    }
}
