//! A node of an `openAPIV3Schema` before it is parsed.

use serde_json::{Map, Value};

pub(super) type Node = Map<String, Value>;

pub(super) fn flag(node: &Node, name: &str) -> bool {
    node.get(name) == Some(&Value::Bool(true))
}

pub(super) fn texts(node: &Node, name: &str) -> Vec<String> {
    let members = node.get(name).and_then(Value::as_array);
    members.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(super) fn member<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    node.get(name).and_then(Value::as_object)
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
