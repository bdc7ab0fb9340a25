//! Validates `selectableFields`.

use std::collections::HashSet;

use serde_json::Value;

use super::super::field::{is_true, items, text};
use super::label::invalid;
use crate::schema::Cause;

const MOST: usize = 8;

/// Validates the selectable fields of a version against its schema.
pub(super) fn check(version: &Value, field: &str, causes: &mut Vec<Cause>) {
    let (fields, schema) = (items(version, "/selectableFields"), &version["schema"]["openAPIV3Schema"]);
    let mut seen = HashSet::new();
    for (at, one) in fields.iter().enumerate() {
        let (path, field) = (text(one, "/jsonPath"), format!("{field}[{at}].jsonPath"));
        if path.is_empty() {
            causes.push(Cause::required(&field, ""));
        } else if let Err(why) = leaf(path, schema) {
            causes.push(invalid(&field, path, &why));
        } else if !seen.insert(path) {
            causes.push(cause("FieldValueDuplicate", &field, format!("Duplicate value: {path:?}")));
        }
    }
    if fields.len() > MOST {
        let message = format!("Too many: {}: must have at most {MOST} items", fields.len());
        causes.push(cause("FieldValueTooMany", field, message));
    }
}

fn cause(reason: &str, field: &str, message: String) -> Cause {
    Cause { reason: reason.to_owned(), message, field: field.to_owned() }
}

/// Checks that the path leads to a scalar value.
fn leaf(path: &str, schema: &Value) -> Result<(), String> {
    let Some(rest) = path.strip_prefix('.') else {
        let head = path.split(['.', '[']).next().unwrap_or_default();
        return Err(format!("is an invalid path: expected [ or . but got: {head}"));
    };
    let mut at = schema;
    for name in rest.split('.') {
        if name.is_empty() {
            return Err("is an invalid path: unexpected end of JSON path".to_owned());
        } else if name.contains('[') {
            return Err("is an invalid path: array notation is not allowed".to_owned());
        }
        at = child(at, name).ok_or_else(|| "is an invalid path: does not refer to a valid field".to_owned())?;
    }
    let plain = ["string", "boolean", "integer"].contains(&text(at, "/type"));
    if plain && !is_true(at, "/x-kubernetes-int-or-string") { Ok(()) } else { Err(PLAIN.to_owned()) }
}

const PLAIN: &str = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";

fn child<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let named = schema.get("properties").and_then(|properties| properties.get(name));
    named.or_else(|| schema.get("additionalProperties").filter(|rest| rest.is_object()))
}
