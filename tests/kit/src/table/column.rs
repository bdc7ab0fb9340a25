//! A column of a table: its header and the source of its cells.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::cell::cell;
use super::path::Path;

/// The description of the name, from the API reference.
pub(super) const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources \
    may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation \
    idempotence and configuration definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// The description of the creation time, from the API reference.
pub(super) const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is \
    not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is \
    represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) type_: String,
    pub(super) format: String,
    pub(super) description: String,
    pub(super) priority: i32,
    pub(super) source: Source,
}

/// The source of the cells.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A path from a CRD; `None` if it can't be parsed.
    Path(Option<Path>),
    /// A function for a built-in kind.
    Known(fn(&Value, Timestamp) -> Value),
}

impl Column {
    pub(super) fn definition(&self) -> Value {
        json!({"name": self.name, "type": self.type_, "format": self.format, "description": self.description,
            "priority": self.priority})
    }

    pub(super) fn cell(&self, object: &Value, now: Timestamp) -> Value {
        match &self.source {
            Source::Known(known) => known(object, now),
            Source::Path(path) => cell(&self.type_, path.as_ref(), object, now),
        }
    }

    /// A column of a built-in kind.
    pub(super) fn known(name: &str, description: &str, cell: fn(&Value, Timestamp) -> Value) -> Self {
        Column {
            name: name.to_owned(),
            type_: "string".to_owned(),
            format: String::new(),
            description: description.to_owned(),
            priority: 0,
            source: Source::Known(cell),
        }
    }

    pub(super) fn name() -> Self {
        let column = Column::known("Name", NAME, |object, _| json!(text(object, "/metadata/name")));
        Column { format: "name".to_owned(), ..column }
    }

    pub(super) fn age() -> Self {
        Column::known("Age", CREATED, |object, now| age::since(&object["metadata"]["creationTimestamp"], now))
    }

    /// The creation time as a timestamp, for built-in kinds without their own columns.
    pub(super) fn created() -> Self {
        let column = Column::known("Created At", CREATED, |object, _| object["metadata"]["creationTimestamp"].clone());
        Column { type_: "date".to_owned(), ..column }
    }

    /// Shows the column only in wide output.
    pub(super) fn wide(self) -> Self {
        Column { priority: 1, ..self }
    }

    pub(super) fn typed(self, type_: &str) -> Self {
        Column { type_: type_.to_owned(), ..self }
    }
}

/// The string at a pointer; empty if absent.
pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The string at a pointer, or `<none>`.
pub(super) fn or_none(object: &Value, pointer: &str) -> Value {
    json!(Some(text(object, pointer)).filter(|text| !text.is_empty()).unwrap_or("<none>"))
}

/// The integer at a pointer; 0 if absent.
pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// The items of the list at a pointer.
pub(super) fn items<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The number of members of the map or list at a pointer.
pub(super) fn count(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Object(members)) => members.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    }
}

/// Labels as `k=v,k=v`, or `<none>`.
pub(super) fn labels(object: &Value, pointer: &str) -> Value {
    let labels = object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let mut terms: Vec<String> =
        labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    terms.sort();
    if terms.is_empty() { json!("<none>") } else { json!(terms.join(",")) }
}
