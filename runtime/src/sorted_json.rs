//! JSON whose text is the same in each run: the fields are in the order of their names.

use serde_json::{Map, Value};

/// The value with the fields of each object in order. Another crate may have chosen to keep them as they were inserted.
pub(crate) fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(fields.into_iter().map(|(key, value)| (key, sorted(value))).collect::<Map<_, _>>())
        }
        other => other,
    }
}
