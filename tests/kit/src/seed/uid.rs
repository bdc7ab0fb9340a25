//! Validation of the uid that a seed gives to an object.

use serde_json::Value;
use uuid::Uuid;

use crate::request_context::Uid;
use crate::store::Store;
use crate::strategy::meta;

/// The length of a uid: five groups of hexadecimal digits with hyphens between them.
const LENGTH: usize = 36;

/// Returns the uid in the metadata of an object. Without one, the server generates it.
///
/// # Errors
/// Returns an error if the value is not a UUID, or if another object already has it.
pub(super) fn given(store: &Store, object: &Value) -> Result<Option<Uid>, String> {
    let given = &object["metadata"]["uid"];
    if given.is_null() || *given == "" {
        return Ok(None);
    }
    let Some(uid) = given.as_str().filter(|uid| is_uid(uid)) else {
        let example = Uuid::from_u128(1).hyphenated();
        return Err(format!("metadata.uid: {given} is not a UUID; leave it out, or write one such as \"{example}\""));
    };
    match holder(store, uid) {
        Some(other) => Err(format!("metadata.uid: {uid} is that of {other}; each object has its own, leave it out")),
        None => Ok(Some(Uid(uid.to_owned()))),
    }
}

/// Returns the object that already has the uid.
fn holder(store: &Store, uid: &str) -> Option<String> {
    let all = store.all();
    let other = all.iter().map(|(_, object)| object).find(|object| meta(object, "uid") == uid)?;
    let kind = other["kind"].as_str().unwrap_or("object");
    let place = [meta(other, "namespace"), meta(other, "name")];
    Some(format!("{kind} {}", place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")))
}

/// Returns whether the text is a UUID in the form that the server writes.
fn is_uid(text: &str) -> bool {
    text.len() == LENGTH && Uuid::try_parse(text).is_ok_and(|uid| uid.hyphenated().to_string() == text)
}

/// Returns whether an object has a uid.
pub(super) fn is_given(object: &Value) -> bool {
    !meta(object, "uid").is_empty()
}
