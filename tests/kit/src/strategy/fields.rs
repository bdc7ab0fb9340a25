//! Helpers that read and set fields of objects.

use serde_json::{Map, Value, json};

/// The metadata of an object; created if it is not an object.
pub(crate) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    match &mut object["metadata"] {
        Value::Object(metadata) => metadata,
        // The metadata was replaced by an object above.
        _ => unreachable!("metadata was made an object"),
    }
}

/// A string field of the metadata; empty if absent.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether the object is being deleted.
pub(crate) fn is_deleting(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether an object that is being deleted can be removed from the store.
pub(crate) fn is_free(object: &Value) -> bool {
    let held = object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() > 0;
    let spec =
        object["kind"] == "Namespace" && object["apiVersion"] == "v1" && has_items(&object["spec"]["finalizers"]);
    finalizers(object).is_empty() && !held && !spec
}

fn has_items(list: &Value) -> bool {
    list.as_array().is_some_and(|items| !items.is_empty())
}

/// Copies a top-level field from one object to another; if it is absent in the source, it is removed.
pub(super) fn restore(from: &Value, to: &mut Value, field: &str) {
    let Some(fields) = to.as_object_mut() else { return };
    match from.get(field) {
        Some(value) => drop(fields.insert(field.to_owned(), value.clone())),
        None => drop(fields.remove(field)),
    }
}

/// Sets absent members.
pub(super) fn fill(object: &mut Value, defaults: Value) {
    let (Some(fields), Value::Object(defaults)) = (object.as_object_mut(), defaults) else { return };
    for (name, value) in defaults {
        let field = fields.entry(name).or_insert(Value::Null);
        if field.is_null() {
            *field = value;
        }
    }
}

pub(super) fn each(object: &mut Value, list: &str, change: impl FnMut(&mut Value)) {
    object.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(change);
}
