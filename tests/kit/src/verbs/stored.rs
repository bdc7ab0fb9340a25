//! The form in which an object is stored.

use serde_json::Value;

use crate::registry::Kind;
use crate::schema;

/// Drops the fields that the storage version does not declare.
pub(super) fn keep(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom().filter(|custom| custom.storage_version != kind.version) {
        schema::prune(object, &custom.storage_schema);
    }
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
