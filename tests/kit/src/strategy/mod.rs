//! What the server does to objects on their way in: system fields, generation, status, and what kinds add of their own.

mod builtin;
mod change;
mod defaults;
mod fixed;
mod fresh;
mod metadata;
mod pod;
mod priority;
mod service;
mod status;
mod workload;

pub(crate) use builtin::{causes as kind_causes, complete, times};
pub(crate) use change::{Part, carry_over};
pub(crate) use defaults::defaults;
pub(crate) use fresh::fresh;
pub(crate) use metadata::{created, finalizer_warnings, updated};
pub(crate) use priority::SYSTEM_PRIORITIES;
pub(crate) use service::{needs_address, needs_health_check, needs_port};

use serde_json::{Map, Value, json};

/// The metadata of an object, made an object when it is none.
pub(crate) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    match &mut object["metadata"] {
        Value::Object(metadata) => metadata,
        // Just made an object; the type alone does not say so.
        _ => unreachable!("metadata was made an object"),
    }
}

/// A text field of the metadata; empty when absent.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether deletion of the object has begun.
pub(crate) fn is_deleting(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether nothing holds the object back once its deletion has begun.
pub(crate) fn is_free(object: &Value) -> bool {
    let held = object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() > 0;
    let spec =
        object["kind"] == "Namespace" && object["apiVersion"] == "v1" && has_items(&object["spec"]["finalizers"]);
    finalizers(object).is_empty() && !held && !spec
}

fn has_items(list: &Value) -> bool {
    list.as_array().is_some_and(|items| !items.is_empty())
}
