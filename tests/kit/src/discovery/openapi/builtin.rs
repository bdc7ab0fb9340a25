//! The schemas of built-in kinds, generated from the table of server-side apply, without descriptions.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::names::{METADATA, reference};
use crate::apply::{self, definition, root_name};
use crate::registry::Kind;

/// All definitions that the schemas of these kinds reference, by name.
pub(super) fn needed(kinds: &[Arc<Kind>]) -> impl Iterator<Item = (String, Value)> {
    let roots = kinds.iter().filter(|kind| kind.is_builtin());
    let roots = roots.filter_map(|kind| root_name(&kind.api_version(), &kind.kind)).chain([METADATA]);
    let names: BTreeSet<&str> = roots.flat_map(apply::needed).collect();
    names.into_iter().filter_map(|name| Some((name.to_owned(), schema(name)?)))
}

/// A definition in OpenAPI syntax.
pub(super) fn schema(name: &str) -> Option<Value> {
    let found = definition(name)?;
    Some(match name.rsplit('.').next() {
        Some("Quantity") => json!({"oneOf": [{"type": "string"}, {"type": "number"}]}),
        Some("IntOrString") => json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}),
        _ => spelled(found),
    })
}

fn spelled(node: &Value) -> Value {
    let mut out = Map::new();
    for (name, value) in node.as_object().into_iter().flatten() {
        match (name.as_str(), value) {
            ("$ref", Value::String(name)) => _ = out.insert("allOf".to_owned(), json!([{"$ref": reference(name)}])),
            ("items" | "additionalProperties", value) => _ = out.insert(name.clone(), spelled(value)),
            ("properties", Value::Object(all)) => {
                let all = all.iter().map(|(name, value)| (name.clone(), spelled(value)));
                out.insert(name.clone(), all.collect::<Map<_, _>>().into());
            }
            (_, value) => _ = out.insert(name.clone(), value.clone()),
        }
    }
    out.into()
}
