//! Reads an `openAPIV3Schema` into a [`Structural`].

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::{Number, Value};

use super::node::{Node, flag, texts};
use super::rule::Rule;
use super::structural::{Bound, Kind, ListType, Logic, MapType, Range, Rest, Rules, Structural};

impl Structural {
    /// Parses a schema that has already been checked or that this crate defines.
    pub(crate) fn read(schema: &Value) -> Self {
        parse_node(schema)
    }
}

/// Parses a node leniently; [`structural_check::check`] rejects all invalid parts, so they are never used.
fn parse_node(schema: &Value) -> Structural {
    let empty = Node::new();
    let node = schema.as_object().unwrap_or(&empty);
    Structural {
        kind: parse_kind(node),
        nullable: flag(node, "nullable"),
        preserve: flag(node, "x-kubernetes-preserve-unknown-fields"),
        embedded: flag(node, "x-kubernetes-embedded-resource"),
        properties: children(node, "properties", parse_node),
        rest: parse_rest(node),
        items: node.get("items").map(|items| Box::new(parse_node(items))),
        default: node.get("default").filter(|value| !value.is_null()).cloned(),
        list: parse_list(node),
        map: parse_map(node),
        rules: parse_rules(node),
        cel: node.get("x-kubernetes-validations").map(Rule::all).unwrap_or_default(),
    }
}

fn parse_logic(schema: &Value) -> Logic {
    let empty = Node::new();
    let node = schema.as_object().unwrap_or(&empty);
    Logic {
        kind: node.get("type").and_then(Value::as_str).and_then(Kind::of).unwrap_or(Kind::Any),
        rules: parse_rules(node),
        properties: children(node, "properties", parse_logic),
        items: node.get("items").map(|items| Box::new(parse_logic(items))),
        rest: node.get("additionalProperties").filter(|rest| rest.is_object()).map(|rest| Box::new(parse_logic(rest))),
    }
}

fn parse_kind(node: &Node) -> Kind {
    if flag(node, "x-kubernetes-int-or-string") {
        return Kind::IntOrString;
    }
    node.get("type").and_then(Value::as_str).and_then(Kind::of).unwrap_or(Kind::Any)
}

fn parse_rest(node: &Node) -> Rest {
    match node.get("additionalProperties") {
        Some(Value::Bool(true)) => Rest::Anything,
        Some(rest @ Value::Object(_)) => Rest::Each(Box::new(parse_node(rest))),
        _ => Rest::Nothing,
    }
}

fn parse_list(node: &Node) -> ListType {
    match node.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map(texts(node, "x-kubernetes-list-map-keys")),
        _ => ListType::Atomic,
    }
}

fn parse_map(node: &Node) -> MapType {
    match node.get("x-kubernetes-map-type").and_then(Value::as_str) {
        Some("atomic") => MapType::Atomic,
        _ => MapType::Granular,
    }
}

fn parse_rules(node: &Node) -> Rules {
    Rules {
        choice: node.get("enum").and_then(Value::as_array).cloned(),
        pattern: node.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok()),
        format: node.get("format").and_then(Value::as_str).map(str::to_owned),
        minimum: parse_bound(node, "minimum", "exclusiveMinimum"),
        maximum: parse_bound(node, "maximum", "exclusiveMaximum"),
        multiple: number(node, "multipleOf"),
        length: parse_range(node, "minLength", "maxLength"),
        count: parse_range(node, "minItems", "maxItems"),
        size: parse_range(node, "minProperties", "maxProperties"),
        required: texts(node, "required"),
        all: list(node, "allOf"),
        any: list(node, "anyOf"),
        one: list(node, "oneOf"),
        not: node.get("not").map(|not| Box::new(parse_logic(not))),
    }
}

fn parse_bound(node: &Node, limit: &str, exclusive: &str) -> Option<Bound> {
    number(node, limit).map(|limit| Bound { limit, exclusive: flag(node, exclusive) })
}

fn parse_range(node: &Node, min: &str, max: &str) -> Range {
    Range { min: node.get(min).and_then(Value::as_u64), max: node.get(max).and_then(Value::as_u64) }
}

fn number(node: &Node, name: &str) -> Option<Number> {
    node.get(name).and_then(Value::as_number).cloned()
}

fn list(node: &Node, name: &str) -> Vec<Logic> {
    node.get(name).and_then(Value::as_array).into_iter().flatten().map(parse_logic).collect()
}

fn children<T>(node: &Node, name: &str, parse: fn(&Value) -> T) -> BTreeMap<String, T> {
    let members = node.get(name).and_then(Value::as_object);
    members.into_iter().flatten().map(|(name, schema)| (name.clone(), parse(schema))).collect()
}
