//! What single built-in kinds do beside the common rules.

use serde_json::{Map, Value, json};

use super::change::restore;
use crate::registry::Kind;

/// Additions to a new object.
pub(super) fn fresh(kind: &Kind, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => namespace(object),
        ("", "Secret") => secret(object),
        ("", "Pod") => pod(object),
        _ => {}
    }
}

/// Additions to a changed object.
pub(super) fn changed(kind: &Kind, live: &Value, object: &mut Value) {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Namespace") => restore(live, object, "spec"),
        ("", "Secret") => secret(object),
        _ => {}
    }
}

/// A write of the status of a built-in kind: everything else but metadata stays.
pub(super) fn keep_spec(live: &Value, sent: &mut Value) {
    let keys: Vec<String> = live.as_object().into_iter().chain(sent.as_object()).flat_map(Map::keys).cloned().collect();
    for key in keys.iter().filter(|key| !matches!(key.as_str(), "status" | "metadata")) {
        restore(live, sent, key);
    }
}

fn namespace(object: &mut Value) {
    object["spec"] = json!({"finalizers": ["kubernetes"]});
    object["status"] = json!({"phase": "Active"});
    let name = object["metadata"]["name"].clone();
    if !object["metadata"]["labels"].is_object() {
        object["metadata"]["labels"] = json!({});
    }
    object["metadata"]["labels"]["kubernetes.io/metadata.name"] = name;
}

/// Folds `stringData` into `data` and sets the type.
fn secret(object: &mut Value) {
    let plain = object.as_object_mut().and_then(|fields| fields.remove("stringData"));
    for (key, text) in plain.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if !object["data"].is_object() {
            object["data"] = json!({});
        }
        object["data"][key] = json!(base64(text.as_str().unwrap_or_default().as_bytes()));
    }
    if object["type"].as_str().unwrap_or_default().is_empty() {
        object["type"] = json!("Opaque");
    }
}

/// What a Pod's selectors compare, and that nothing has started it.
fn pod(object: &mut Value) {
    let defaults = [("restartPolicy", "Always"), ("schedulerName", "default-scheduler")];
    for (field, value) in defaults {
        if object["spec"].is_object() && object["spec"][field].is_null() {
            object["spec"][field] = json!(value);
        }
    }
    object["status"] = json!({"phase": "Pending"});
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        let digit = |at: usize| char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63]);
        text.extend((0..4).map(|at| if at <= chunk.len() { digit(at) } else { '=' }));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_data_is_folded_into_data() {
        let mut object = json!({"stringData": {"a": "hello", "b": "hi", "c": "abc"}});
        secret(&mut object);
        assert_eq!(object, json!({"type": "Opaque", "data": {"a": "aGVsbG8=", "b": "aGk=", "c": "YWJj"}}));
    }
}
