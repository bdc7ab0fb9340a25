//! The uid that a seed gives to an object: kept where it is one, refused where it is not.

use serde_json::Value;
use uuid::Uuid;

use crate::request_context::Uid;
use crate::store::Store;
use crate::strategy::meta;

/// How long a uid is: five groups of digits, and the hyphens between them.
const LENGTH: usize = 36;

/// The uid that an object gives; none: the server makes one.
///
/// # Errors
/// It is none, or another object has it already.
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

/// The object that has the uid already.
fn holder(store: &Store, uid: &str) -> Option<String> {
    let all = store.all();
    let other = all.iter().map(|(_, object)| object).find(|object| meta(object, "uid") == uid)?;
    let kind = other["kind"].as_str().unwrap_or("object");
    let place = [meta(other, "namespace"), meta(other, "name")];
    Some(format!("{kind} {}", place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")))
}

/// In the form in which the server writes one.
fn is_uid(text: &str) -> bool {
    text.len() == LENGTH && Uuid::try_parse(text).is_ok_and(|uid| uid.hyphenated().to_string() == text)
}

/// Whether a document that is stored many times gives a uid: each has its own.
pub(super) fn is_given(object: &Value) -> bool {
    !meta(object, "uid").is_empty()
}
