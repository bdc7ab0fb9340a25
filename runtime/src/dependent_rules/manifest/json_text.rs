//! Objects as text: a set may have thousands of them, and the fields of an object take four to eight times the memory of its text.

use std::fmt;

#[cfg(feature = "templates")]
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An object as JSON text.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonText(Box<str>);

/// The fields that identify an object.
#[cfg(feature = "templates")]
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    api_version: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    kind: Value,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    metadata: Value,
}

/// The most levels of an object. More could not be read from the response of the API server either.
const LEVELS: usize = 120;

impl JsonText {
    /// The text of a value; `None`: it has more than 120 levels.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        fits(value, LEVELS).then(|| Self(value.to_string().into()))
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// The value with `apiVersion`, `kind` and `metadata` only.
    #[cfg(feature = "templates")]
    #[must_use]
    pub(crate) fn head(&self) -> Value {
        let head: Option<Head> = serde_json::from_str(&self.0).ok();
        head.and_then(|head| serde_json::to_value(head).ok()).unwrap_or_else(|| self.value())
    }

    /// The text.
    #[must_use]
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

fn fits(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(fields) => fields.values().all(|field| fits(field, left)),
        _ => true,
    }
}

impl fmt::Debug for JsonText {
    /// Without the content, which may be that of a Secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonText({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_value_is_the_one_that_was_given() {
        for value in [json!({ "a": [1, -1.5, null, "x\n\"\u{2028}"] }), json!(u64::MAX), json!(0.1), nested(LEVELS)] {
            assert_eq!(JsonText::of(&value).map(|text| text.value()), Some(value));
        }
    }

    fn nested(levels: usize) -> Value {
        (1..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn an_object_with_too_many_levels_has_no_text() {
        assert_eq!(JsonText::of(&nested(LEVELS + 1)), None);
    }

    #[cfg(feature = "templates")]
    #[test]
    fn the_head_identifies_the_object() {
        let object =
            json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "a" }, "data": { "b": "s3cret" } });
        let text = JsonText::of(&object).unwrap();
        let head = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "a" } });
        assert_eq!(text.head(), head);
        assert_eq!(JsonText::of(&json!({ "kind": 1 })).unwrap().head(), json!({ "kind": 1 }));
        assert!(!format!("{text:?}").contains("s3cret"), "{text:?}");
    }
}
