//! The fields of built-in kinds and how their lists and maps are shared: what real servers publish, as data.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::schema::{Kind, Structural};

/// The schema of a built-in kind; of one that is not in the table, that anything goes.
pub(crate) fn schema(api_version: &str, kind: &str) -> &'static Structural {
    static ANYTHING: LazyLock<Structural> =
        LazyLock::new(|| Structural::read(&json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})));
    static READ: LazyLock<BTreeMap<&str, OnceLock<Structural>>> =
        LazyLock::new(|| TABLE.kinds.keys().map(|kind| (kind.as_str(), OnceLock::new())).collect());
    let name = format!("{api_version}/{kind}");
    let Some(read) = READ.get(name.as_str()) else { return &ANYTHING };
    read.get_or_init(|| TABLE.kinds.get(&name).map_or_else(|| ANYTHING.clone(), |root| TABLE.read(root)))
}

/// What a server holds of an object before its first write: parts that are never absent, each empty.
pub(crate) fn empty(api_version: &str, kind: &str) -> Value {
    empty_of(schema(api_version, kind))
}

fn empty_of(s: &Structural) -> Value {
    let properties = s.properties.iter().filter_map(|(name, schema)| {
        let value = match &schema.default {
            Some(Value::Object(_)) => empty_of(schema),
            Some(scalar) => scalar.clone(),
            // Lists that are there even when they are empty.
            None if schema.kind == Kind::Array && s.rules.required.contains(name) => Value::Null,
            None => return None,
        };
        Some((name.clone(), value))
    });
    Value::Object(properties.collect())
}

/// What `builtin.json` holds: each definition once, and where each kind begins.
#[derive(Debug, Deserialize)]
pub(super) struct Table {
    pub(super) definitions: BTreeMap<String, Value>,
    pub(super) kinds: BTreeMap<String, String>,
}

/// Written by `cargo test -p evenkeel-testkit published`, see the tests.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let table = serde_json::from_str(include_str!("builtin.json"));
    // A table that can't be read is found by every test that applies.
    table.unwrap_or_else(|_| Table { definitions: BTreeMap::new(), kinds: BTreeMap::new() })
});

impl Table {
    fn read(&self, root: &str) -> Structural {
        let mut schema = self.definition(root, &mut Vec::new());
        // The head fields are those of every resource.
        if let Some(properties) = schema["properties"].as_object_mut() {
            properties.retain(|name, _| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
        }
        Structural::read(&schema)
    }

    /// A definition with all others in their places; one within itself is anything.
    fn definition<'t>(&'t self, name: &'t str, within: &mut Vec<&'t str>) -> Value {
        let anything = || json!({"x-kubernetes-preserve-unknown-fields": true});
        let Some(found) = self.definitions.get(name).filter(|_| !within.contains(&name)) else { return anything() };
        within.push(name);
        let spelled = self.spelled(found, within);
        within.pop();
        // Values without a type or members, such as the JSON of a default, are anything, too.
        let is_open = spelled["type"].is_null() || spelled["type"] == "object";
        let has_members = ["properties", "additionalProperties", "x-kubernetes-int-or-string"];
        if is_open && has_members.iter().all(|name| spelled[*name].is_null()) { anything() } else { spelled }
    }

    fn spelled<'t>(&'t self, node: &'t Value, within: &mut Vec<&'t str>) -> Value {
        let mut out = match node["$ref"].as_str() {
            Some(name) => self.definition(name, within),
            None => json!({}),
        };
        let fields: Map<String, Value> = node
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != "$ref")
            .map(|(name, value)| {
                let value = match (name.as_str(), value) {
                    ("items" | "additionalProperties", value) => self.spelled(value, within),
                    ("properties", Value::Object(all)) => {
                        all.iter().map(|(name, value)| (name.clone(), self.spelled(value, within))).collect()
                    }
                    (_, value) => value.clone(),
                };
                (name.clone(), value)
            })
            .collect();
        if let Some(out) = out.as_object_mut() {
            out.extend(fields);
        }
        out
    }
}

#[cfg(test)]
pub(super) fn is_known(api_version: &str, kind: &str) -> bool {
    TABLE.kinds.contains_key(&format!("{api_version}/{kind}"))
}
