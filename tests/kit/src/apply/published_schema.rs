//! A node in the published schemas of built-in kinds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::builtin::TABLE;

/// A schema node before its reference is resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'a>(&'a Value);

impl Node<'static> {
    /// The schema of a built-in kind.
    pub(crate) fn root(api_version: &str, kind: &str) -> Option<Self> {
        definition(root_name(api_version, kind)?).map(Node)
    }
}

impl<'a> Node<'a> {
    /// The member `name` of an object.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        let found = self.found();
        let declared = found.get("properties").and_then(|all| all.get(name));
        declared.or_else(|| found.get("additionalProperties")).map(Node)
    }

    /// The items of a list.
    pub(crate) fn item(self) -> Option<Self> {
        self.found().get("items").map(Node)
    }

    /// A string value of this node, such as an extension.
    pub(crate) fn text(self, name: &str) -> &'a str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// The node that it refers to, or itself if it is not a reference.
    fn found(self) -> &'a Value {
        reference(self.0).and_then(definition).unwrap_or(self.0)
    }
}

/// The name of the definition of a built-in kind, such as `io.k8s.api.apps.v1.Deployment`.
pub(crate) fn root_name(api_version: &str, kind: &str) -> Option<&'static str> {
    TABLE.kinds.get(&format!("{api_version}/{kind}")).map(String::as_str)
}

/// A definition by its name; `$ref` values in it are names of other definitions.
pub(crate) fn definition(name: &str) -> Option<&'static Value> {
    TABLE.definitions.get(name)
}

/// The names of all definitions that this one references, including itself.
pub(crate) fn needed(name: &'static str) -> BTreeSet<&'static str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![name]);
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            references(definition(name).unwrap_or(&Value::Null), &mut open);
        }
    }
    seen
}

fn reference(node: &Value) -> Option<&str> {
    node["$ref"].as_str()
}

fn references<'a>(node: &'a Value, found: &mut Vec<&'a str>) {
    found.extend(reference(node));
    match node {
        Value::Object(members) => members.values().for_each(|one| references(one, found)),
        Value::Array(items) => items.iter().for_each(|one| references(one, found)),
        _ => {}
    }
}
