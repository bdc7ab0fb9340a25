//! The cells of columns that a CRD defines.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::path::Path;

/// The value at the path if it has the type of the column, otherwise null.
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

/// The integral part of a number.
#[expect(clippy::cast_possible_truncation, reason = "as Go converts a float to an integer")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    number.as_f64().map(|float| float as i64)
}

/// Any value as a string; lists and maps as JSON.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}
