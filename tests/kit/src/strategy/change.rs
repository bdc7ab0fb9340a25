//! Updates of an object: restores protected fields, and increments the generation.

use serde_json::{Value, json};

use super::builtin;
use super::fields::{is_deleting, metadata, restore};
use crate::registry::Kind;

/// The part of an object that a request writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole object, without the status if that is a subresource.
    Main,
    /// Only the status.
    Status,
}

/// Restores the fields that this request must not change, and increments the generation if needed.
pub(crate) fn carry_over(kind: &Kind, part: Part, live: &Value, sent: &mut Value) {
    match part {
        Part::Status if !kind.is_builtin() => *sent = with_status_of(live, sent),
        Part::Status => builtin::keep_spec(kind, live, sent),
        Part::Main if kind.status => restore(live, sent, "status"),
        Part::Main => {}
    }
    system_fields(live, sent);
    if part == Part::Main {
        builtin::changed(kind, live, sent);
    }
    let changed = counts(kind) && part == Part::Main && differs(kind, live, sent);
    let generation = live["metadata"]["generation"].as_i64();
    set(sent, "generation", generation.map(|generation| json!(generation + i64::from(changed))));
}

/// Whether changes increment the generation; that of a PriorityClass never changes.
fn counts(kind: &Kind) -> bool {
    kind.generation && !(kind.is_builtin() && kind.kind == "PriorityClass")
}

/// The stored object with the status and the managed fields of the sent one.
fn with_status_of(live: &Value, sent: &Value) -> Value {
    let mut object = live.clone();
    restore(sent, &mut object, "status");
    object["apiVersion"] = sent["apiVersion"].clone();
    for field in ["managedFields", "uid", "deletionTimestamp"] {
        set(&mut object, field, sent["metadata"].get(field).cloned());
    }
    object
}

/// Restores system fields that a client may omit or send with a wrong value.
fn system_fields(live: &Value, sent: &mut Value) {
    let stored = |field: &str| live["metadata"].get(field).cloned();
    for field in ["creationTimestamp", "namespace", "resourceVersion", "selfLink"] {
        set(sent, field, stored(field));
    }
    if sent["metadata"]["uid"].as_str().unwrap_or_default().is_empty() {
        set(sent, "uid", stored("uid"));
    }
    if is_deleting(live) && !is_deleting(sent) {
        set(sent, "deletionTimestamp", stored("deletionTimestamp"));
    }
    if !sent["metadata"]["deletionGracePeriodSeconds"].is_i64() {
        set(sent, "deletionGracePeriodSeconds", stored("deletionGracePeriodSeconds"));
    }
    for field in ["finalizers", "labels", "annotations", "ownerReferences"] {
        drop_empty(sent, field);
    }
}

/// Removes an empty list or map from the metadata.
fn drop_empty(object: &mut Value, field: &str) {
    let empty = match &object["metadata"][field] {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        other => other.is_null(),
    };
    if empty {
        set(object, field, None);
    }
}

/// Whether any field changed, except the metadata, the type, and a status that is a subresource.
fn differs(kind: &Kind, live: &Value, sent: &Value) -> bool {
    let counts = |key: &str| !(matches!(key, "metadata" | "apiVersion" | "kind") || kind.status && key == "status");
    let fields = |object: &Value| object.as_object().cloned().unwrap_or_default();
    let (mut live, mut sent) = (fields(live), fields(sent));
    live.retain(|key, _| counts(key));
    sent.retain(|key, _| counts(key));
    live != sent
}

/// Sets a field of the metadata, or removes it.
fn set(object: &mut Value, field: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(metadata(object).insert(field.to_owned(), value)),
        None => drop(metadata(object).remove(field)),
    }
}
