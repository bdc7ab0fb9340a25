//! The fields of a definition by their JSON pointers.

use serde_json::Value;

/// The text at a JSON pointer, or "".
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a list at a JSON pointer.
pub(crate) fn texts<'a>(value: &'a Value, pointer: &str) -> Vec<&'a str> {
    items(value, pointer).iter().filter_map(Value::as_str).collect()
}

/// The list at a JSON pointer; empty when there is none.
pub(crate) fn items<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether the JSON pointer leads to `true`.
pub(crate) fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or_default()
}
