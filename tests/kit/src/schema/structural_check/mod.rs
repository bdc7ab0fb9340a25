//! Checks whether a schema is structural, in the order in which an API server reports the errors.

mod default_check;
mod junctors;
mod list;
mod pattern;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::cause::{Cause, Causes};
use super::node::{Node, flag, member, quoted};
use super::structural::{Kind, Structural};

/// Appends every reason to reject `schema`; `parsed` is its leniently parsed form. CEL rules are not checked here.
pub(crate) fn check(schema: &Value, parsed: &Structural, causes: &mut Causes) {
    let at = "openAPIV3Schema";
    let Some(node) = schema.as_object() else {
        causes.push(Cause::required(at, ""));
        return;
    };
    check_root(node, at, causes);
    check_node(node, at, Place::Root, causes);
    default_check::check(parsed, at, causes);
}

/// The position of a node. It affects only the message for a missing type.
#[derive(Clone, Copy)]
enum Place {
    Root,
    Field,
    Item,
}

fn check_root(node: &Node, at: &str, causes: &mut Causes) {
    if let Some(kind) = node.get("type").and_then(Value::as_str)
        && kind != "object"
    {
        causes.push(Cause::invalid(&format!("{at}.type"), quoted(kind), "must be object at the root"));
    }
    if flag(node, "nullable") {
        causes.push(Cause::forbidden(&format!("{at}.nullable"), "nullable cannot be true at the root"));
    }
    if node.get("additionalProperties").is_some_and(|rest| rest != &Value::Bool(false)) {
        causes.push(Cause::forbidden(&format!("{at}.additionalProperties"), "must not be used at the root"));
    }
    check_metadata(node, at, causes);
}

/// The schema of the object's own metadata is fixed; it may restrict only `name` and `generateName`.
fn check_metadata(node: &Node, at: &str, causes: &mut Causes) {
    let Some(metadata) = member(node, "properties").and_then(|properties| member(properties, "metadata")) else {
        return;
    };
    let at = format!("{at}.properties[metadata]");
    if metadata.contains_key("default") {
        causes.push(Cause::forbidden(&format!("{at}.default"), "must not be set in top-level metadata"));
    }
    let only_names =
        metadata.keys().all(|key| matches!(key.as_str(), "type" | "properties" | "description" | "default"));
    let names = member(metadata, "properties");
    let only_known =
        names.is_none_or(|names| names.keys().all(|name| matches!(name.as_str(), "name" | "generateName")));
    if !only_names || !only_known {
        let text = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        causes.push(Cause::forbidden(&at, text));
    }
}

fn check_node(node: &Node, at: &str, place: Place, causes: &mut Causes) {
    check_keywords(node, at, causes);
    check_type(node, at, place, causes);
    check_extensions(node, at, causes);
    pattern::check(node, at, causes);
    list::check(node, at, causes);
    check_head_types(node, at, place, causes);
    junctors::check(node, at, causes);
    check_children(node, at, causes);
}

const UNSUPPORTED: [&str; 7] =
    ["$ref", "$schema", "id", "additionalItems", "patternProperties", "definitions", "dependencies"];

fn check_keywords(node: &Node, at: &str, causes: &mut Causes) {
    for keyword in UNSUPPORTED.into_iter().filter(|keyword| node.contains_key(*keyword)) {
        causes.push(Cause::forbidden(&format!("{at}.{keyword}"), &format!("{keyword} is not supported")));
    }
    if flag(node, "uniqueItems") {
        let text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.push(Cause::forbidden(&format!("{at}.uniqueItems"), text));
    }
    let rest = node.get("additionalProperties").filter(|rest| **rest != Value::Bool(false));
    if rest.is_some_and(Value::is_object) && member(node, "properties").is_some_and(|members| !members.is_empty()) {
        let text = "additionalProperties and properties are mutual exclusive";
        causes.push(Cause::forbidden(&format!("{at}.additionalProperties"), text));
    }
}

fn check_type(node: &Node, at: &str, place: Place, causes: &mut Causes) {
    let field = format!("{at}.type");
    match node.get("type").and_then(Value::as_str).filter(|kind| !kind.is_empty()) {
        Some(kind) if Kind::of(kind).is_none() => {
            causes.push(Cause::unsupported(&field, quoted(kind), &Kind::NAMES.map(str::to_owned)));
        }
        Some(_) => {}
        None if is_untyped(node) => {}
        None => causes.push(Cause::required(&field, missing_type(place))),
    }
    if node.get("type").and_then(Value::as_str) == Some("array") && !node.contains_key("items") {
        causes.push(Cause::required(&format!("{at}.items"), "must be specified"));
    }
}

/// Whether a node may omit its type. A `$ref` is rejected separately.
fn is_untyped(node: &Node) -> bool {
    flag(node, "x-kubernetes-int-or-string")
        || flag(node, "x-kubernetes-preserve-unknown-fields")
        || node.contains_key("$ref")
}

fn missing_type(place: Place) -> &'static str {
    match place {
        Place::Root => "must not be empty at the root",
        Place::Field => "must not be empty for specified object fields",
        Place::Item => "must not be empty for specified array items",
    }
}

fn check_extensions(node: &Node, at: &str, causes: &mut Causes) {
    let preserve = "x-kubernetes-preserve-unknown-fields";
    if node.get(preserve) == Some(&Value::Bool(false)) {
        causes.push(Cause::invalid(&format!("{at}.{preserve}"), "false", "must be true or undefined"));
    }
    if flag(node, "x-kubernetes-embedded-resource") {
        check_embedded(node, at, causes);
    }
}

fn check_embedded(node: &Node, at: &str, causes: &mut Causes) {
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind != "object" {
        let text = "must be object if x-kubernetes-embedded-resource is true";
        causes.push(Cause::invalid(&format!("{at}.type"), quoted(kind), text));
    }
    let has_properties = member(node, "properties").is_some_and(|members| !members.is_empty());
    if !has_properties && !flag(node, "x-kubernetes-preserve-unknown-fields") {
        let text = "must not be empty if x-kubernetes-embedded-resource is true without \
                    x-kubernetes-preserve-unknown-fields";
        causes.push(Cause::required(&format!("{at}.properties"), text));
    }
}

/// A schema that declares the three head fields of a resource must use their fixed types.
fn check_head_types(node: &Node, at: &str, place: Place, causes: &mut Causes) {
    let is_resource = matches!(place, Place::Root) || flag(node, "x-kubernetes-embedded-resource");
    let Some(properties) = member(node, "properties").filter(|_| is_resource) else { return };
    for (name, expected) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let kind = properties.get(name).and_then(|schema| schema.get("type")).and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| *kind != expected) {
            let field = format!("{at}.properties[{name}].type");
            causes.push(Cause::invalid(&field, quoted(kind), format!("must be {expected}")));
        }
    }
}

fn check_children(node: &Node, at: &str, causes: &mut Causes) {
    for (name, schema) in member(node, "properties").into_iter().flatten() {
        check_child(schema, &format!("{at}.properties[{name}]"), Place::Field, causes);
    }
    if let Some(rest @ Value::Object(_)) = node.get("additionalProperties") {
        check_child(rest, &format!("{at}.additionalProperties"), Place::Field, causes);
    }
    match node.get("items") {
        Some(Value::Array(_)) => {
            let text = "items must be a schema object and not an array";
            causes.push(Cause::forbidden(&format!("{at}.items"), text));
        }
        Some(items) => check_child(items, &format!("{at}.items"), Place::Item, causes),
        None => {}
    }
}

fn check_child(schema: &Value, at: &str, place: Place, causes: &mut Causes) {
    match schema.as_object() {
        Some(node) => check_node(node, at, place, causes),
        None => causes.push(Cause::required(&format!("{at}.type"), missing_type(place))),
    }
}
