//! Values whose text is the same in each run: the fields are in the order of their names.

use std::collections::BTreeMap;

use serde_json::Value;

/// The value with the fields of each object in order. Another crate may have chosen to keep them as they were inserted.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            Value::Object(fields.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
