//! The paths at which two forms of an object differ.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrBool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A path with two values. An absent value is none, and so is `null`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Difference {
    pub(super) path: Vec<String>,
    /// The value in the stored version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hub: Option<Value>,
    /// The value after a conversion to the served version and back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) spoke: Option<Value>,
}

impl Difference {
    /// The path, as in `spec.login`.
    pub(super) fn path(&self) -> String {
        self.path.join(".")
    }
}

/// Finds the differences of two values of the schema, each at the innermost path.
///
/// Lists and enums are compared as a whole: an item has no identity, and two variants of an enum must not be mixed.
pub(super) fn differences(hub: &Value, spoke: &Value, schema: Option<&JSONSchemaProps>) -> Vec<Difference> {
    let mut found = Vec::new();
    collect(Some(hub), Some(spoke), schema, &mut Vec::new(), &mut found);
    found
}

fn collect(
    hub: Option<&Value>,
    spoke: Option<&Value>,
    schema: Option<&JSONSchemaProps>,
    path: &mut Vec<String>,
    found: &mut Vec<Difference>,
) {
    let (hub, spoke) = (present(hub), present(spoke));
    if hub == spoke {
        return;
    }
    if let (Some(Value::Object(one)), Some(Value::Object(other))) = (hub, spoke) {
        // The root has parts only: `spec` and `status`.
        if path.is_empty() || schema.is_some_and(has_members) {
            for name in names(one, other) {
                path.push(name.clone());
                let inner = schema.and_then(|schema| member(schema, name));
                collect(one.get(name), other.get(name), inner, path, found);
                path.pop();
            }
            return;
        }
    }
    found.push(Difference { path: path.clone(), hub: hub.cloned(), spoke: spoke.cloned() });
}

/// The value; `None` if it is absent or `null`.
fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

fn names<'m>(one: &'m Map<String, Value>, other: &'m Map<String, Value>) -> impl Iterator<Item = &'m String> {
    one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)))
}

/// Whether the members of a value have meanings of their own: it is a struct or a map, and no enum.
fn has_members(schema: &JSONSchemaProps) -> bool {
    let is_enum = schema.one_of.is_some() || schema.any_of.is_some() || schema.all_of.is_some() || schema.not.is_some();
    !is_enum && (schema.properties.is_some() || schema.additional_properties.is_some())
}

fn member<'s>(schema: &'s JSONSchemaProps, name: &str) -> Option<&'s JSONSchemaProps> {
    let property = schema.properties.as_ref().and_then(|properties| properties.get(name));
    property.or_else(|| match schema.additional_properties.as_ref()? {
        JSONSchemaPropsOrBool::Schema(schema) => Some(schema),
        JSONSchemaPropsOrBool::Bool(_) => None,
    })
}

/// The value at a path; `None` if it is absent or `null`.
pub(super) fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    present(path.iter().try_fold(value, |value, name| value.get(name)))
}

/// Sets or removes the value at a path whose parent exists.
pub(super) fn set(value: &mut Value, path: &[String], new: Option<Value>) {
    let Some((last, parents)) = path.split_last() else { return };
    let parent = parents.iter().try_fold(value, |value, name| value.get_mut(name));
    let Some(Value::Object(parent)) = parent else { return };
    match new {
        Some(new) => {
            parent.insert(last.clone(), new);
        }
        None => {
            parent.remove(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(hub: &Value, spoke: &Value, schema: &Value) -> Vec<String> {
        let schema: JSONSchemaProps = serde_json::from_value(schema.clone()).unwrap();
        differences(hub, spoke, Some(&schema)).iter().map(Difference::path).collect()
    }

    fn schema(spec: &Value) -> Value {
        json!({ "properties": { "spec": { "properties": spec } } })
    }

    #[test]
    fn structs_and_maps_differ_by_member() {
        let schema =
            schema(&json!({ "a": { "properties": { "b": {}, "c": {} } }, "m": { "additionalProperties": {} } }));
        let hub = json!({ "spec": { "a": { "b": 1, "c": 2 }, "m": { "x": 1, "y": 2 } } });
        let spoke = json!({ "spec": { "a": { "b": 1 }, "m": { "x": 3, "y": 2 } } });
        assert_eq!(paths(&hub, &spoke, &schema), ["spec.a.c", "spec.m.x"]);
    }

    #[test]
    fn enums_lists_and_unknown_parts_differ_as_a_whole() {
        let one_of = json!({ "oneOf": [{ "required": ["s"] }], "properties": { "s": {}, "t": {} } });
        let schema =
            schema(&json!({ "login": one_of, "list": { "items": { "properties": { "a": {} } } }, "open": {} }));
        let hub = json!({ "spec": { "login": { "t": 1 }, "list": [{ "a": 1 }], "open": { "a": 1 } } });
        let spoke = json!({ "spec": { "login": { "s": 1 }, "list": [{}], "open": { "a": 2 } } });
        assert_eq!(paths(&hub, &spoke, &schema), ["spec.list", "spec.login", "spec.open"]);
    }

    #[test]
    fn null_is_absent() {
        let schema = schema(&json!({ "a": {} }));
        assert_eq!(paths(&json!({ "spec": { "a": null } }), &json!({ "spec": {} }), &schema), [""; 0]);
        assert_eq!(paths(&json!({ "spec": { "a": 1 } }), &json!({ "spec": { "a": null } }), &schema), ["spec.a"]);
    }
}
