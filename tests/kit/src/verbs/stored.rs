//! The form in which an object is stored.

use serde_json::Value;

use crate::registry::{Kind, split};
use crate::schema;

/// Drops the fields that the storage version does not declare, unless a webhook converts them.
pub(super) fn keep(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom().filter(|custom| custom.storage_version != kind.version)
        && kind.converts().is_none()
    {
        schema::prune(object, &custom.storage_schema);
    }
}

/// Whether the storage version declares all fields of an object.
pub(super) fn is_storable(kind: &Kind, object: &Value) -> bool {
    let mut kept = object.clone();
    keep(kind, &mut kept);
    kept == *object
}

/// Whether a stored object is in the storage version. One from before a change of this version is in another.
pub(super) fn is_current(kind: &Kind, stored: &Value) -> bool {
    kind.custom()
        .is_none_or(|custom| split(stored["apiVersion"].as_str().unwrap_or_default()).1 == custom.storage_version)
}

/// The stored form of an object.
pub(super) fn stored(kind: &Kind, mut object: Value) -> Value {
    keep(kind, &mut object);
    if let Some(custom) = kind.custom() {
        object["apiVersion"] = format!("{}/{}", kind.group, custom.storage_version).into();
    } else if kind.storage.plural.as_ref() == "events" {
        object = crate::event::stored(&kind.group, object);
    }
    object
}
