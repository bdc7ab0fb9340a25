//! `FieldsV1`: the JSON form of a set of paths.

use serde_json::{Map, Value};

use super::path_element::Element;
use super::set::{Node, Set};

/// The `fieldsV1` of a set: `{}` for a leaf; `.` marks a node that has children and is itself a member.
pub(crate) fn encode(set: &Set) -> Value {
    set.nodes().map(|(element, node)| (element.encode(), encode_node(node))).collect::<Map<_, _>>().into()
}

fn encode_node(node: &Node) -> Value {
    let mut json = encode(&node.below);
    if let Value::Object(map) = &mut json
        && node.is_member
        && !node.below.is_empty()
    {
        map.insert(".".to_owned(), Value::Object(Map::new()));
    }
    json
}

/// Parses a `fieldsV1`.
///
/// # Errors
/// If the value is not an object, or a member name is not a path element.
pub(crate) fn decode(json: &Value) -> Result<Set, String> {
    let map = json.as_object().ok_or("fieldsV1 is not an object")?;
    let mut set = Set::default();
    for (name, below) in map.iter().filter(|(name, _)| *name != ".") {
        if let Some(element) = Element::parse(name)? {
            set.attach(element, decode_node(below)?);
        }
    }
    Ok(set)
}

fn decode_node(json: &Value) -> Result<Node, String> {
    let below = decode(json)?;
    let is_marked = json.get(".").is_some();
    Ok(Node { is_member: is_marked || below.is_empty(), below })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_path_element_survives_a_round_trip() {
        let fields = json!({
            "f:metadata": {"f:finalizers": {".": {}, "v:\"ex.dev/f\"": {}}},
            "f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}, "f:l": {"i:3": {}}, "f:m": {}},
        });
        assert_eq!(encode(&decode(&fields).unwrap()), fields);
    }

    #[test]
    fn a_leaf_with_only_a_dot_is_a_plain_leaf() {
        assert_eq!(encode(&decode(&json!({"f:a": {".": {}}})).unwrap()), json!({"f:a": {}}));
    }

    #[test]
    fn unknown_path_elements_are_ignored() {
        assert_eq!(encode(&decode(&json!({"x:a": {}, "f:b": {}})).unwrap()), json!({"f:b": {}}));
        for bad in [json!({"bad": {}}), json!({"k:7": {}}), json!({"i:x": {}}), json!([]), json!({"f:a": 1})] {
            assert!(decode(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn paths_print_as_in_messages() {
        let set = decode(&json!({"f:spec": {"f:env": {"k:{\"name\":\"A\"}": {"f:value": {}}},
            "f:tags": {"v:\"x\"": {}}, "f:size": {}}}));
        let texts: Vec<_> =
            set.unwrap().paths().iter().map(|path| super::super::path_element::path_text(path)).collect();
        assert_eq!(texts, [".spec.size", ".spec.env[name=\"A\"].value", ".spec.tags[=\"x\"]"]);
    }
}
