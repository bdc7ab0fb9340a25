//! Checks of `x-kubernetes-list-type`, its keys, and `x-kubernetes-map-type`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::cause::{Cause, Causes};
use super::super::node::texts;
use super::super::node::{Node, member, quoted};

pub(super) fn check(node: &Node, at: &str, causes: &mut Causes) {
    check_map_type(node, at, causes);
    let keys = texts(node, "x-kubernetes-list-map-keys");
    match node.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some(kind @ ("atomic" | "set" | "map")) => check_list(node, at, kind, &keys, causes),
        Some(other) => {
            let field = format!("{at}.x-kubernetes-list-type");
            causes.push(Cause::unsupported(&field, quoted(other), &["atomic", "set", "map"].map(str::to_owned)));
        }
        None if keys.is_empty() => {}
        None => {
            let text = "must be map if x-kubernetes-list-map-keys is non-empty";
            causes.push(Cause::required(&format!("{at}.x-kubernetes-list-type"), text));
        }
    }
}

fn check_map_type(node: &Node, at: &str, causes: &mut Causes) {
    let Some(kind) = node.get("x-kubernetes-map-type").and_then(Value::as_str) else { return };
    if !matches!(kind, "atomic" | "granular") {
        let field = format!("{at}.x-kubernetes-map-type");
        causes.push(Cause::unsupported(&field, quoted(kind), &["atomic", "granular"].map(str::to_owned)));
    }
    expect_type(node, at, "object", "must be object if x-kubernetes-map-type is specified", causes);
}

fn check_list(node: &Node, at: &str, kind: &str, keys: &[String], causes: &mut Causes) {
    expect_type(node, at, "array", "must be array if x-kubernetes-list-type is specified", causes);
    let items = member(node, "items");
    match (kind, items) {
        ("set", Some(items)) => check_set_item(items, &format!("{at}.items"), causes),
        ("map", items) => check_keyed(items, at, keys, causes),
        _ => {}
    }
}

/// Items of a set are compared as a whole, so objects in a set must be atomic.
fn check_set_item(items: &Node, at: &str, causes: &mut Causes) {
    if type_of(items) != "object" || items.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic") {
        return;
    }
    let value = items.get("x-kubernetes-map-type").unwrap_or(&Value::Null);
    let text = "must be atomic as item of a list with x-kubernetes-list-type=set";
    causes.push(Cause::invalid(&format!("{at}.x-kubernetes-map-type"), value, text));
}

fn check_keyed(items: Option<&Node>, at: &str, keys: &[String], causes: &mut Causes) {
    let field = format!("{at}.x-kubernetes-list-map-keys");
    if keys.is_empty() {
        causes.push(Cause::required(&field, "must not be empty if x-kubernetes-list-type is map"));
    }
    let Some(items) = items else { return };
    let text = "must be object if parent array's x-kubernetes-list-type is map";
    if !expect_type(items, &format!("{at}.items"), "object", text, causes) {
        return;
    }
    for key in keys {
        check_key(items, &format!("{at}.items"), key, causes);
    }
    let printed = serde_json::json!(keys);
    if keys.iter().any(|key| member(items, "properties").is_none_or(|known| !known.contains_key(key))) {
        causes.push(Cause::invalid(&field, &printed, "entries must all be names of item properties"));
    }
    if keys.iter().collect::<BTreeSet<_>>().len() < keys.len() {
        causes.push(Cause::invalid(&field, &printed, "must not contain duplicate entries"));
    }
}

/// A key must be a scalar that is required or has a default.
fn check_key(items: &Node, at: &str, key: &str, causes: &mut Causes) {
    let Some(property) = member(items, "properties").and_then(|properties| member(properties, key)) else { return };
    let at_key = format!("{at}.properties[{key}]");
    let kind = type_of(property);
    if matches!(kind, "object" | "array") {
        let text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        causes.push(Cause::invalid(&format!("{at_key}.type"), quoted(kind), text));
    }
    let is_required = texts(items, "required").iter().any(|name| name == key);
    if !is_required && property.get("default").is_none_or(Value::is_null) {
        let text =
            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
        causes.push(Cause::required(&format!("{at_key}.default"), text));
    }
}

fn expect_type(node: &Node, at: &str, expected: &str, text: &str, causes: &mut Causes) -> bool {
    let kind = type_of(node);
    if kind != expected {
        causes.push(Cause::invalid(&format!("{at}.type"), quoted(kind), text));
    }
    kind == expected
}

fn type_of(node: &Node) -> &str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}
