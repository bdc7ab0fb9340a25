//! Access to the fields of a CRD by JSON pointer.

use serde_json::Value;

/// The string at a JSON pointer, or "".
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The strings of the list at a JSON pointer.
pub(crate) fn texts<'a>(value: &'a Value, pointer: &str) -> Vec<&'a str> {
    items(value, pointer).iter().filter_map(Value::as_str).collect()
}

/// The list at a JSON pointer, or an empty list.
pub(crate) fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether the value at the JSON pointer is `true`.
pub(crate) fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}
