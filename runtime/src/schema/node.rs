//! One node of a schema: its types, values and fields, independent of the generator's notation.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The extension that makes the API server store unknown fields.
const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// A node of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a>(pub(super) &'a Value);

impl<'a> Node<'a> {
    /// Whether unknown fields are stored.
    pub(super) fn is_open(self) -> bool {
        self.0[OPEN] == true || self.0["additionalProperties"] == true
    }

    /// Whether there is nothing to compare: `OpenAPI` v2 omits what it cannot express.
    pub(super) fn is_blank(self) -> bool {
        self.types().is_empty() && self.properties().next().is_none() && self.values().is_none()
    }

    /// The allowed JSON types, without null; empty if there is no restriction.
    pub(super) fn types(self) -> BTreeSet<&'a str> {
        if self.0[INT_OR_STRING] == true || self.0["format"] == "int-or-string" {
            return BTreeSet::from(["integer", "string"]);
        }
        let own: BTreeSet<&str> = match &self.0["type"] {
            Value::String(one) => BTreeSet::from([one.as_str()]),
            Value::Array(several) => several.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect(),
            _ => BTreeSet::new(),
        };
        if !own.is_empty() {
            return own;
        }
        let branches: BTreeSet<&str> = self.branches().flat_map(Node::types).collect();
        if !branches.is_empty() {
            return branches;
        }
        let values = self.own_values().into_iter().flatten();
        values.filter_map(type_of).collect()
    }

    /// Whether null is allowed.
    pub(super) fn is_nullable(self) -> bool {
        let named = self.0["type"].as_array().is_some_and(|types| types.iter().any(|one| one == "null"));
        let listed = self.0["enum"].as_array().is_some_and(|values| values.contains(&Value::Null));
        self.0["nullable"] == true || named || listed || self.branches().any(Node::is_nullable)
    }

    /// The allowed values, without null. `None`: there is no restriction.
    pub(super) fn values(self) -> Option<Vec<&'a Value>> {
        if let Some(own) = self.own_values() {
            return Some(own);
        }
        let mut all = Vec::new();
        let mut branches = self.branches().filter(|branch| !branch.is_null()).peekable();
        branches.peek()?;
        for branch in branches {
            all.extend(branch.values()?);
        }
        Some(all)
    }

    fn own_values(self) -> Option<Vec<&'a Value>> {
        let own = match (self.0.get("const"), &self.0["enum"]) {
            (Some(one), _) => vec![one],
            (None, Value::Array(values)) => values.iter().collect(),
            _ => return None,
        };
        Some(own.into_iter().filter(|value| !value.is_null()).collect())
    }

    /// Whether null is the only allowed value.
    fn is_null(self) -> bool {
        self.0["type"] == "null" || self.own_values().is_some_and(|values| values.is_empty())
    }

    /// The alternatives.
    fn branches(self) -> impl Iterator<Item = Self> {
        let lists = ["anyOf", "oneOf"].into_iter().filter_map(move |list| self.0[list].as_array());
        lists.flatten().map(Node)
    }

    /// The declared fields.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'a str, Self)> {
        let named = self.0["properties"].as_object().into_iter().flat_map(Map::iter);
        named.map(|(name, schema)| (name.as_str(), Self(schema)))
    }

    /// The schema of a field: declared, the common schema of map values, or implied.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        let named = self.0["properties"].get(name).map(Self);
        named.or_else(|| self.each()).or_else(|| self.implied(name))
    }

    /// The three fields that an embedded object has without declaring them.
    fn implied(self, name: &str) -> Option<Self> {
        const ANY: &Value = &Value::Bool(true);
        let has = self.0[EMBEDDED] == true && ["apiVersion", "kind", "metadata"].contains(&name);
        has.then_some(Self(ANY))
    }

    /// The schema of the values of a map.
    pub(super) fn each(self) -> Option<Self> {
        Some(&self.0["additionalProperties"]).filter(|each| each.is_object()).map(Self)
    }

    /// The schema of the items of a list.
    pub(super) fn items(self) -> Option<Self> {
        Some(&self.0["items"]).filter(|items| items.is_object()).map(Self)
    }

    /// The required fields.
    pub(super) fn required(self) -> impl Iterator<Item = &'a str> {
        self.0["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// The keys of a list of type `map`; `None` for other lists.
    pub(super) fn list_keys(self) -> Option<BTreeSet<&'a str>> {
        let is_map = self.0["x-kubernetes-list-type"] == "map";
        let keys = self.0["x-kubernetes-list-map-keys"].as_array().into_iter().flatten();
        is_map.then(|| keys.filter_map(Value::as_str).collect())
    }
}

fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) => Some(if number.is_f64() { "number" } else { "integer" }),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

/// The types in a sentence: `integer or string`.
pub(super) fn named(types: &BTreeSet<&str>) -> String {
    types.iter().copied().collect::<Vec<_>>().join(" or ")
}
