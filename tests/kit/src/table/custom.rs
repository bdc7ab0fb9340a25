//! The columns of custom kinds: those of the definition, or the age alone.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::column::{CREATED, Column, Source};
use super::path::Path;
use crate::registry;

/// The name, then what the definition says.
pub(super) fn columns(defined: &[registry::Column]) -> Vec<Column> {
    let mut columns = vec![Column::name()];
    if defined.is_empty() {
        let source = Source::Path(Path::parse(".metadata.creationTimestamp"));
        let age = Column { type_: "date".to_owned(), source, ..Column::known("Age", CREATED, |_, _| Value::Null) };
        columns.push(age);
    }
    columns.extend(defined.iter().map(column));
    columns
}

fn column(defined: &registry::Column) -> Column {
    let path = &defined.json_path;
    let description = match defined.description.as_str() {
        "" => format!("Custom resource definition column (in JSONPath format): {path}"),
        said => said.to_owned(),
    };
    Column {
        name: defined.name.clone(),
        type_: defined.type_.clone(),
        format: defined.format.clone(),
        description,
        priority: defined.priority,
        source: Source::Path(Path::parse(path)),
    }
}

/// A cell: what the path leads to when it has the type of the column; null when not.
pub(super) fn cell(type_: &str, path: Option<&Path>, object: &Value, now: Timestamp) -> Value {
    let found = path.map(|path| path.find(object)).unwrap_or_default();
    let Some(&value) = found.first() else { return Value::Null };
    match (type_, value) {
        ("string", value) => json!(printed(value)),
        (_, Value::Null) => Value::Null,
        ("integer", Value::Number(number)) => {
            number.as_i64().or_else(|| whole(number)).map_or(Value::Null, Value::from)
        }
        ("number", Value::Number(number)) => json!(number),
        ("boolean", Value::Bool(value)) => json!(value),
        ("date", Value::String(_)) => age::since(value, now),
        _ => Value::Null,
    }
}

/// The whole part of a fraction.
#[expect(clippy::cast_possible_truncation, reason = "as Go converts a float to an integer")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    number.as_f64().map(|float| float as i64)
}

/// Anything as text: lists and maps as JSON.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}
